import { AppError } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Addition } from '../../access/memberships/add-from-within.ts';
import { isUserId } from '../../access/memberships/invitee.ts';
import { storeInvitation } from '../../access/memberships/store-invitation.ts';
import { spendInvitation } from '../invitations/budget.ts';
import type { invitationRecord } from '../invitations/contract.ts';
import { type MailOptions, mailToUserLater } from '../invitations/mail.ts';
import { presentInvitation } from '../invitations/present-invitation.ts';

/**
 * Invites a user_id to a department. The account is not looked up before the response.
 * @throws {AppError} userNotFound if no account can have the id; forbidden if it is invited to a role above the inviter's.
 */
export async function inviteUser(
  options: MailOptions,
  request: FastifyRequest,
  { organization_id, department_id, user_id, ...terms }: Omit<Addition, 'now'>,
): Promise<z.infer<typeof invitationRecord>> {
  const { db, now } = options;
  if (!isUserId(user_id)) throw new AppError('userNotFound');
  const inviter = terms.granted_by;
  await spendInvitation(db, request, { organization_id, inviter, recipient: { user_id } }, now());
  const place = { organization_id, department_id, invitee: { invited_id: user_id } };
  const invitation = await storeInvitation(db, place, { ...terms, now: now() });
  if (!invitation) throw new AppError('forbidden');
  await audit(db, request, now(), {
    action: 'invitation.create',
    target: { user_id, invitation_id: invitation.membership_id },
    after: { role: terms.role },
    organization_id,
    department_id,
  });
  mailToUserLater(options, request, invitation);
  return presentInvitation(invitation, now());
}
