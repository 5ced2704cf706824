import { randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { emailKey } from '@gatehouse/shared/identity/email';
import { isActive } from '@gatehouse/shared/identity/users';
import type { Database } from '../../database.ts';
import type { SsoOptions } from '../options.ts';
import type { Connection, Identity } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import type { Account } from './account.ts';
import { requireOwnDomain } from './address.ts';

/** Returns the account of an identity. @throws {SsoRefusal} account disabled, foreign domain. */
export async function accountOf(db: Database, connection: Connection, identity: Identity): Promise<Account> {
  requireActive(identity);
  const { user_id } = identity;
  const user = await db.users.findOne({ user_id });
  if (!user) throw new SsoRefusal('account disabled', `the account ${user_id} no longer exists`);
  if (!isActive(user)) throw new SsoRefusal('account disabled', `the account ${user_id} is not active`);
  // The organization may have lost the domain since.
  await requireOwnDomain(db, connection, user.email);
  return { ...user, user_id };
}

function requireActive({ identity_id, scim }: Identity): void {
  if (scim?.active === false)
    throw new SsoRefusal('account disabled', `SCIM has deactivated the identity ${identity_id}`);
}

/**
 * Links an account to a person at a connection. An identity that SCIM created gets its subject here.
 * @returns the identity, and whether this call linked it.
 * @throws {SsoRefusal} identity mismatch when the account is linked to another subject, account disabled.
 */
export async function linkIdentity(
  { db, now }: Pick<SsoOptions, 'db' | 'now'>,
  { connection_id }: Connection,
  { subject, email, user_id }: { subject: string; email: string; user_id: string },
): Promise<{ identity: Identity; isNew: boolean }> {
  const at = new Date(now());
  const created = await db.ssoIdentities.findOne({ connection_id, user_id });
  if (created) requireActive(created);
  const write = async (): Promise<boolean> => {
    if (created) {
      const { modifiedCount } = await db.ssoIdentities.updateOne(
        { identity_id: created.identity_id, subject: { $exists: false } },
        { $set: { subject, updated_at: at } },
      );
      return modifiedCount === 1;
    }
    await db.ssoIdentities.insertOne({
      identity_id: randomUUIDv7(),
      connection_id,
      subject,
      user_id,
      email: emailKey(email),
      created_at: at,
      updated_at: at,
    });
    return true;
  };
  const isNew = await write().catch((error) => {
    if (!isDuplicateKey(error)) throw error;
    return false; // a concurrent login has linked the subject or the account
  });
  const identity = await db.ssoIdentities.findOne({ connection_id, subject });
  if (identity?.user_id !== user_id)
    throw new SsoRefusal('identity mismatch', `the account ${user_id} is linked to another subject`);
  return { identity, isNew };
}
