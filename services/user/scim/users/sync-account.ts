import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { activeAmong, type User } from '@gatehouse/shared/identity/users';
import type { WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import { isOwnAddress } from '../../provisioning/address.ts';
import { grantedBy } from '../../provisioning/granted-by.ts';
import { endProviderSessions } from '../../sso/login/end-sessions.ts';
import type { SsoOptions } from '../../sso/operation.ts';
import type { Connection, Identity } from '../../sso/records.ts';
import { ScimError } from '../errors.ts';
import { userNameKey } from './input.ts';

/** What following an identity changed about its account, for the audit. */
export interface Settled {
  account_status?: string;
}

type SyncOptions = Pick<SsoOptions, 'config' | 'db' | 'now'>;

/** Concurrent changes of an identity, each of which settles the account itself. */
const MAX_TRIES = 20;

/**
 * Makes an account follow `active` of its identity. The mark goes only if the identity has not changed meanwhile, so
 * that of concurrent changes the last one counts; what is interrupted is completed at the next start.
 * @returns the status of the account if this call changed it.
 * @throws {ScimError} 403 if the last Owner who can act would be disabled. Then the identity is active again.
 */
export async function syncAccount(
  options: SyncOptions,
  connection: Connection,
  identity_id: string,
): Promise<Settled> {
  const { db } = options;
  let settled: Settled = {};
  for (let turn = 0; turn < MAX_TRIES; turn += 1) {
    const identity = await db.ssoIdentities.findOne({ identity_id });
    // In a later turn another call has removed the mark, perhaps before this one wrote to the account.
    if (!identity?.scim || (turn === 0 && !identity.scim.unsettled)) return settled;
    const { version, active } = identity.scim;
    const change = active
      ? await enable(db, connection, identity)
      : await disable(options, connection, identity);
    settled = change ?? settled;
    const { matchedCount } = await db.ssoIdentities.updateOne(
      { identity_id, 'scim.version': version },
      { $unset: { 'scim.unsettled': true } },
    );
    if (matchedCount === 1) return settled;
  }
  return settled;
}

/** Completes changes that were interrupted before this start. */
export async function syncAll(options: SyncOptions): Promise<void> {
  const { db } = options;
  for await (const { connection_id, identity_id } of db.ssoIdentities.find({ 'scim.unsettled': true })) {
    const connection = await db.ssoConnections.findOne({ connection_id });
    if (!connection) continue;
    await syncAccount(options, connection, identity_id).catch((error) => {
      if (!(error instanceof ScimError)) throw error; // the last Owner stays active
    });
  }
}

/** Enables the account if this connection disabled it. */
async function enable(
  db: Database,
  connection: Connection,
  { user_id }: Identity,
): Promise<Settled | undefined> {
  const by = grantedBy(connection.connection_id);
  const user = await db.users.findOne({ user_id, 'deprovisioned.by': by });
  if (!user?.deprovisioned || !(await isOwnAddress(db, connection, user.email))) return undefined;
  const { modifiedCount } = await undo(db, user, by);
  return modifiedCount === 1 ? { account_status: user.deprovisioned.account_status } : undefined;
}

const undo = (db: Database, { _id }: WithId<User>, by: string) =>
  db.users.updateOne({ _id, account_status: 'disabled', 'deprovisioned.by': by }, [
    { $set: { account_status: '$deprovisioned.account_status', deprovisioned: '$$REMOVE' } },
  ]);

/**
 * Ends the sessions that began at the connection, and disables the account if its address is in a domain of the
 * organization. Other accounts were only linked: they belong to their holders.
 */
async function disable(
  options: SyncOptions,
  connection: Connection,
  identity: Identity,
): Promise<Settled | undefined> {
  const { db, now } = options;
  const { connection_id } = connection;
  const { user_id } = identity;
  const by = grantedBy(connection_id);
  const user = await db.users.findOne({ user_id });
  let isDisabled = false;
  if (user && (await isOwnAddress(db, connection, user.email))) {
    const { modifiedCount } = await db.users.updateOne(
      { _id: user._id, account_status: { $ne: 'disabled' } },
      [
        {
          $set: {
            deprovisioned: { by: { $literal: by }, account_status: '$account_status' },
            account_status: 'disabled',
            sessions_valid_from: { $max: ['$sessions_valid_from', new Date(now())] },
          },
        },
      ],
    );
    isDisabled = modifiedCount === 1;
    // Concurrent calls may have deactivated the other Owners.
    if (isDisabled && !(await hasAnotherOwner(db, connection, user_id))) {
      await undo(db, user, by);
      const { version = 0, user_name = '' } = identity.scim ?? {};
      // A deletion is undone as well, unless somebody else has the userName by now.
      const undone = db.ssoIdentities.updateOne(
        { identity_id: identity.identity_id, 'scim.version': version },
        {
          $set: { 'scim.active': true, 'scim.user_name_key': userNameKey(user_name) },
          $inc: { 'scim.version': 1 },
          $unset: { 'scim.unsettled': true, 'scim.deleted_at': true },
        },
      );
      await undone.catch((error) => {
        if (!isDuplicateKey(error)) throw error;
      });
      throw lastOwner();
    }
  }
  await endProviderSessions(options, { connection_id, user_id });
  return isDisabled ? { account_status: 'disabled' } : undefined;
}

/** @throws {ScimError} 403 if nobody else who can act is an Owner of the organization. */
export async function requireAnotherOwner(
  { db }: Pick<SsoOptions, 'db'>,
  connection: Connection,
  { user_id }: Identity,
): Promise<void> {
  if (!(await hasAnotherOwner(db, connection, user_id))) throw lastOwner();
}

const lastOwner = (): ScimError =>
  new ScimError(
    403,
    'This person is the last Owner of the organization who can act; name another Owner before you deactivate or delete them',
  );

/** Whether the organization has an Owner who can act beside a user; true for a user who is no Owner. */
async function hasAnotherOwner(
  db: Database,
  { organization_id }: Connection,
  user_id: string,
): Promise<boolean> {
  const organization = await db.organizations.findOne({ organization_id });
  const owners = organization?.owners.map((owner) => owner.user_id) ?? [];
  if (!owners.includes(user_id)) return true;
  const able = await activeAmong(
    db.users,
    owners.filter((owner) => owner !== user_id),
  );
  return able.size > 0;
}
