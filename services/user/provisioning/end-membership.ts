import { audit } from '@gatehouse/shared/identity/audit';
import type { Account } from '@gatehouse/sso/host';
import type { FastifyRequest } from 'fastify';
import { endWithGrants } from '../access/departures/end-with-grants.ts';
import { endMembership } from '../access/memberships/end-membership.ts';
import type { Withdrawn } from '../access/memberships/withdraw-invitations.ts';
import type { Membership } from '../access/records.ts';
import { grantedBy } from './granted-by.ts';
import type { ProvisioningOptions } from './options.ts';

interface Granted {
  connection_id: string;
  organization_id: string;
  department_id: string;
  user_id: string;
}

/**
 * Ends the membership that a connection granted, and what would bring the member back. A membership that a
 * person granted or changed stays.
 * @param actor who acts, for the audit of invitations that are withdrawn; absent for SCIM.
 * @returns the membership; null if there is none.
 */
export function endGrantedMembership(
  { db, now }: Pick<ProvisioningOptions, 'db' | 'now'>,
  request: FastifyRequest,
  { connection_id, ...member }: Granted,
  actor?: Pick<Account, 'user_id' | 'email'>,
): Promise<Membership | null> {
  const { organization_id, department_id, user_id } = member;
  const condition = { granted_by: grantedBy(connection_id) };
  const withdrawn = ({ role, invitation_id }: Withdrawn) =>
    audit(db, request, now(), {
      action: 'invitation.withdraw',
      ...(actor && { user_id: actor.user_id, email: actor.email }),
      target: { user_id, invitation_id, connection_id },
      before: { role },
      organization_id,
      department_id,
    });
  return endWithGrants(db, member, now(), () => endMembership(db, member, condition, now(), withdrawn));
}
