import { ensureFeatures } from '@gatehouse/shared/identity/features';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Account } from '@gatehouse/sso/host';
import type { Profile } from '@gatehouse/sso/profile';
import type { Identity } from '@gatehouse/sso/records';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { FastifyRequest } from 'fastify';
import { updateAccount } from './account.ts';
import { assignDepartment } from './department.ts';
import { firstLogin } from './first-login.ts';
import { followAddress } from './follow-address.ts';
import type { ProvisioningOptions } from './options.ts';
import { findPerson } from './person.ts';
import { assignedRole } from './role.ts';

/**
 * Returns the account of a person whom their provider has authenticated: creates or links it at their first
 * login and updates it afterwards (CONTRACT.md §Provisioning). The next login completes an interrupted call.
 * @throws {SsoRefusal} when the person may not have an account here.
 */
export async function provision(
  options: Pick<ProvisioningOptions, 'db' | 'now'>,
  request: FastifyRequest,
  connection: Connection,
  profile: Profile,
): Promise<Account> {
  const { db, now } = options;
  if (profile.subject === '') throw new SsoRefusal('message refused', 'the provider sent no subject');
  const role = assignedRole(request, connection, profile);
  const known = await findPerson(db, connection, profile);
  const { identity, ...person } = known ?? (await firstLogin(options, request, connection, profile, role));
  const user = known ? await followAddress(options, request, connection, known, profile) : person.user;

  // SCIM keeps what a login does not mention.
  const isManaged = identity.scim !== undefined;
  const present = { ...profile, role: profile.role === undefined && isManaged ? undefined : role };
  const [account] = await Promise.all([
    updateAccount({ options, request, connection }, user, present),
    assignDepartment(options, request, connection, user, { ...present, isManaged }, known?.places),
    recordLogin(options, identity),
    ensureFeatures(db, user, now()),
  ]);
  return account;
}

/** Milliseconds by which `last_login_at` may be behind: most logins then need no write. */
const LAST_LOGIN_PRECISION = 3_600_000;

async function recordLogin(
  { db, now }: Pick<ProvisioningOptions, 'db' | 'now'>,
  { identity_id, last_login_at, gone_at }: Identity,
): Promise<void> {
  if (last_login_at && !gone_at && now() - last_login_at.getTime() < LAST_LOGIN_PRECISION) return;
  const last_login = { $set: { last_login_at: new Date(now()) }, $unset: { gone_at: true as const } };
  await db.ssoIdentities.updateOne({ identity_id }, last_login);
}
