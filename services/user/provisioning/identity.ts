import { randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Identity } from '@gatehouse/sso/records';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { Database } from '../database.ts';
import type { ProvisioningOptions } from './options.ts';

/** @throws {SsoRefusal} account disabled. */
export function requireActive({ identity_id, scim }: Identity): void {
  if (scim?.active === false)
    throw new SsoRefusal('account disabled', `SCIM has deactivated the identity ${identity_id}`);
}

/**
 * Returns the identity that SCIM created for an account at a connection; undefined if the account has none there.
 * @throws {SsoRefusal} identity mismatch when it is linked to another subject, account disabled.
 */
export async function linkableIdentity(
  db: Database,
  { connection_id }: Connection,
  { subject, user_id }: { subject: string; user_id: string },
): Promise<Identity | undefined> {
  const identity = await db.ssoIdentities.findOne({ connection_id, user_id });
  if (!identity) return undefined;
  requireActive(identity);
  if (identity.subject !== undefined && identity.subject !== subject) throw mismatch(user_id);
  return identity;
}

const mismatch = (user_id: string) =>
  new SsoRefusal('identity mismatch', `the account ${user_id} is linked to another subject`);

/**
 * Links an account to a person at a connection. An identity that SCIM created gets its subject here.
 * @returns the identity, and whether this call linked it.
 * @throws {SsoRefusal} as `linkableIdentity` does.
 */
export async function linkIdentity(
  { db, now }: Pick<ProvisioningOptions, 'db' | 'now'>,
  connection: Connection,
  { subject, email, user_id }: { subject: string; email: string; user_id: string },
): Promise<{ identity: Identity; isNew: boolean }> {
  const { connection_id } = connection;
  const at = new Date(now());
  const created = await linkableIdentity(db, connection, { subject, user_id });
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
  if (identity?.user_id !== user_id) throw mismatch(user_id);
  return { identity, isNew };
}
