import { languageOf } from '@gatehouse/shared/http/language';
import { audit } from '@gatehouse/shared/identity/audit';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Account } from '@gatehouse/sso/host';
import type { Profile } from '@gatehouse/sso/profile';
import type { Identity } from '@gatehouse/sso/records';
import type { FastifyRequest } from 'fastify';
import { acceptOwnInvitations } from '../organizations/invitations/accept-verified.ts';
import { fullName } from './account.ts';
import { requireOwnDomain, vouchedAddress } from './address.ts';
import { findOrCreate } from './find-or-create.ts';
import { linkableIdentity, linkIdentity } from './identity.ts';
import type { ProvisioningOptions } from './options.ts';
import type { AssignedRole } from './role.ts';

/**
 * Creates the account of a person, or links the one that their address has. An account that is written here can log
 * in at once: if a call is interrupted before linking, the next login links the account.
 */
export async function firstLogin(
  options: Pick<ProvisioningOptions, 'db' | 'now'>,
  request: FastifyRequest,
  connection: Connection,
  profile: Profile,
  role: AssignedRole,
): Promise<{ user: Account; identity: Identity }> {
  const { db, now } = options;
  const { connection_id, organization_id } = connection;
  const { subject } = profile;
  const email = vouchedAddress(connection, profile);
  await requireOwnDomain(db, connection, email);
  const name = fullName(profile) ?? email.slice(0, email.lastIndexOf('@'));
  const language = languageOf(request.headers['accept-language']);
  const { user, how } = await findOrCreate(options, email, { name, role, language }, (user_id) =>
    linkableIdentity(db, connection, { subject, user_id }),
  );
  const { user_id } = user;
  const { identity, isNew } = await linkIdentity(options, connection, { subject, email, user_id });
  if (isNew)
    await audit(db, request, now(), {
      action: 'sso.link',
      user_id,
      email: user.email,
      target: { user_id, connection_id },
      after: { account: how, role },
      organization_id,
    });
  await acceptOwnInvitations(db, user, organization_id, now(), request);
  return { user, identity };
}
