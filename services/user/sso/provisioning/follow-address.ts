import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { audit } from '@gatehouse/shared/identity/audit';
import { domainOf, emailKey, isPlainAddress } from '@gatehouse/shared/identity/email';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { SsoOptions } from '../options.ts';
import type { Profile } from '../profile.ts';
import type { Connection, Identity } from '../records.ts';
import type { Account } from './account.ts';
import { isOwnAddress } from './address.ts';

/**
 * Gives an account the address that its provider vouches for now, if the organization has verified its domain. One
 * write also ends the sessions, whose tokens hold the former address, and the codes that were mailed there. An address
 * that another account has leaves everything as it is.
 * @returns the account as it is now.
 */
export async function followAddress(
  { db, now }: Pick<SsoOptions, 'db' | 'now'>,
  request: FastifyRequest,
  connection: Connection,
  { user, identity }: { user: Account; identity: Identity },
  { email, emailVerified }: Profile,
): Promise<Account> {
  if (email === undefined || !emailVerified || emailKey(email) === emailKey(user.email)) return user;
  if (!isPlainAddress(email) || !(await isOwnAddress(db, connection, email))) return user;
  const { _id, user_id } = user;
  const { connection_id, organization_id } = connection;
  const changed = await db.users
    .findOneAndUpdate(
      { _id, user_id, email: user.email, ...ACTIVE },
      {
        $set: { email },
        $max: { sessions_valid_from: new Date(now()) },
        $unset: { otp: true, otp_expiration: true, otp_attempt: true },
      },
      { returnDocument: 'after' },
    )
    .catch((error) => {
      if (!isDuplicateKey(error, 'email')) throw error;
      request.log.warn(
        { connection_id, domain: domainOf(email) },
        'a changed address belongs to another account',
      );
      return undefined;
    });
  if (changed === undefined) return user;
  if (changed === null) {
    // Another login has changed the address.
    const current = await db.users.findOne({ _id, user_id });
    return current ? { ...current, user_id } : user;
  }
  const { identity_id } = identity;
  await db.ssoIdentities.updateOne({ identity_id }, { $set: { email: emailKey(email) } });
  await audit(db, request, now(), {
    action: 'profile.update',
    user_id,
    email,
    target: { user_id, connection_id },
    before: { email: user.email },
    after: { email },
    organization_id,
  });
  return { ...changed, user_id };
}
