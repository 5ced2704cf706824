import { emailKey } from '@gatehouse/shared/identity/email';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import { isActive, userIdOf } from '@gatehouse/shared/identity/users';
import type { LoginName } from '@gatehouse/shared/identity/ways-in';
import type { Account, SocialPerson } from '@gatehouse/sso/host';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { completeActivation } from '../organizations/invitations/accept-verified.ts';
import { firstLogin } from './first-login.ts';
import { accountOf, findName, loginNameOf } from './names.ts';
import type { LinkOptions } from './options.ts';

/** Milliseconds by which `last_login_at` may be behind: most logins then need no write. */
const LAST_LOGIN_PRECISION = 3_600_000;

/**
 * Returns the account of a person at a provider, and the login name by which it is known (CONTRACT.md §Linking). The
 * next login completes an interrupted one.
 * @throws {SsoRefusal} when the person may not log in to it.
 */
export async function logIn(
  options: LinkOptions,
  request: FastifyRequest,
  person: SocialPerson,
): Promise<{ user: Account; link: string }> {
  const { db, now } = options;
  const link = loginNameOf(person);
  const found = await findName(db, link);
  const known = accountOf(found, link);
  const user = known ?? (await firstLogin(options, request, person, link));
  const account = requireOpen(user);
  if (known) {
    if (await requiresSso(db, known, now())) throw new SsoRefusal('single sign-on required');
    if (found) await recordLogin(options, found.name, person);
  }
  if (user.activated_at) await completeActivation(db, user, now(), request);
  return { user: account, link };
}

/** @throws {SsoRefusal} account disabled. */
export function requireOpen(user: WithId<User>): Account {
  const user_id = userIdOf(user);
  if (user_id === null || !isActive(user))
    throw new SsoRefusal('account disabled', `the account ${user_id} is not active`);
  return { ...user, user_id };
}

/** Records the login, and an address that has changed at the provider. The account stays as it is. */
async function recordLogin(
  { db, now }: LinkOptions,
  { _id, user_id, email: stored, last_login_at }: LoginName,
  { email }: SocialPerson,
): Promise<void> {
  const current = email === undefined ? null : emailKey(email);
  if (current === stored && last_login_at && now() - last_login_at.getTime() < LAST_LOGIN_PRECISION) return;
  const changes = { email: current, last_login_at: new Date(now()) };
  await db.loginNames.updateOne({ _id, user_id }, { $set: changes });
}
