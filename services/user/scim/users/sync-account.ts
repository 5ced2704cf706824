import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { Connection } from '@gatehouse/sso/connection-records';
import { endProviderSessions } from '@gatehouse/sso/end-sessions';
import type { Identity } from '@gatehouse/sso/records';
import type { Filter, WithId } from 'mongodb';
import { otherOwners, requireAnotherOwner } from '../../access/memberships/last-owner.ts';
import type { Database } from '../../database.ts';
import { isOwnAddress } from '../../provisioning/address.ts';
import { grantedBy } from '../../provisioning/granted-by.ts';
import type { ProvisioningOptions } from '../../provisioning/options.ts';
import { userNameKey } from './input.ts';

/** How a synchronization changed the account, for the audit. */
export interface SyncResult {
  account_status?: string;
}

type SyncOptions = Pick<ProvisioningOptions, 'config' | 'db' | 'now'>;

/**
 * Makes an account follow `active` of its identity. The mark is removed only if the identity is still the one that was
 * read: the last of several concurrent changes wins. The next start completes an interrupted call.
 * @returns the status of the account if this call changed it.
 * @throws {AppError} forbidden if the last Owner who can act would be disabled. Then the identity is active again.
 */
export async function syncAccount(
  options: SyncOptions,
  connection: Connection,
  identity_id: string,
): Promise<SyncResult> {
  const { db } = options;
  let result: SyncResult = {};
  let isRepeated = false;
  return optimistic(async () => {
    const identity = await db.ssoIdentities.findOne({ identity_id });
    // In a repeated attempt another call has removed the mark, perhaps before this one wrote to the account.
    if (!identity?.scim || !(isRepeated || identity.scim.unsettled)) return result;
    isRepeated = true;
    const { version, active } = identity.scim;
    const change = active
      ? await enable(db, connection, identity)
      : await disable(options, connection, identity);
    result = change ?? result;
    const { matchedCount } = await db.ssoIdentities.updateOne(
      { identity_id, 'scim.version': version },
      { $unset: { 'scim.unsettled': true } },
    );
    return matchedCount === 1 ? result : undefined;
  });
}

/** Completes changes that were interrupted before this start. */
export async function syncAll(options: SyncOptions): Promise<void> {
  const { db } = options;
  for await (const { connection_id, identity_id } of db.ssoIdentities.find({ 'scim.unsettled': true })) {
    const connection = await db.ssoConnections.findOne({ connection_id });
    if (!connection) continue;
    await syncAccount(options, connection, identity_id).catch((error) => {
      if (!isRefusal(error)) throw error; // the last Owner stays active
    });
  }
}

const isRefusal = (error: unknown): boolean => error instanceof AppError && error.reason === 'forbidden';

/** Enables the account if this connection disabled it. */
async function enable(
  db: Database,
  connection: Connection,
  { user_id }: Identity,
): Promise<SyncResult | undefined> {
  const by = grantedBy(connection.connection_id);
  const user = await db.users.findOne({ user_id, 'deprovisioned.by': by });
  if (!user || !(await isOwnAddress(db, connection, user.email))) return undefined;
  const account_status = await undo(db, user_id, by);
  return account_status === null ? undefined : { account_status };
}

/** Gives an account its status back. @returns the status; null if this connection has not disabled the account. */
const undo = (db: Database, user_id: string, by: string): Promise<string | null> =>
  optimistic(async () => {
    const user = await db.users.findOne({ user_id, 'deprovisioned.by': by });
    if (!user?.deprovisioned || user.account_status !== 'disabled') return null;
    const { account_status } = user.deprovisioned;
    const { modifiedCount } = await db.users.updateOne(
      { ...unchanged(user), 'deprovisioned.by': by },
      { $set: { [statusField(user)]: account_status }, $unset: { deprovisioned: true } },
    );
    return modifiedCount === 1 ? account_status : undefined;
  });

/** Where the status of an account is. A deletion that has begun holds it until it is certain. */
const statusField = ({ deletion }: User) =>
  deletion?.begun_at ? 'deletion.account_status' : 'account_status';

const statusOf = ({ account_status, deletion }: User) =>
  deletion?.begun_at ? deletion.account_status : account_status;

/** Matches an account whose address and status are still those that were read. */
const unchanged = (user: WithId<User>): Filter<User> => ({
  _id: user._id,
  email: user.email,
  'deletion.begun_at': user.deletion?.begun_at ?? { $exists: false },
  [statusField(user)]: statusOf(user) ?? null,
});

/** Makes an identity active again. A deletion is undone as well, unless another user has the userName by now. */
const keepActive = (db: Database, { identity_id, scim }: Identity) =>
  db.ssoIdentities
    .updateOne(
      { identity_id, 'scim.version': scim?.version ?? 0 },
      {
        $set: { 'scim.active': true, 'scim.user_name_key': userNameKey(scim?.user_name ?? '') },
        $inc: { 'scim.version': 1 },
        $unset: { 'scim.unsettled': true, 'scim.deleted_at': true },
      },
    )
    .catch((error) => {
      if (!isDuplicateKey(error)) throw error;
    });

/**
 * Ends the sessions that began at the connection, and disables the account if its address is in a domain of the
 * organization. Other accounts were only linked: they belong to their holders.
 */
async function disable(
  options: SyncOptions,
  connection: Connection,
  identity: Identity,
): Promise<SyncResult | undefined> {
  const { db, now } = options;
  const { connection_id } = connection;
  const { user_id } = identity;
  const by = grantedBy(connection_id);
  const isDisabled = await optimistic(async () => {
    const user = await db.users.findOne({ user_id });
    if (!user || statusOf(user) === 'disabled' || !(await isOwnAddress(db, connection, user.email)))
      return false;
    const { modifiedCount } = await db.users.updateOne(unchanged(user), {
      $set: {
        deprovisioned: { by, account_status: statusOf(user) ?? 'active' },
        account_status: 'disabled',
        [statusField(user)]: 'disabled',
      },
      $max: { sessions_valid_from: new Date(now()) },
    });
    return modifiedCount === 1 || undefined;
  });
  // Concurrent calls may have deactivated the other Owners.
  if (isDisabled)
    await refuseLastOwner(options, connection, identity).catch(async (error: unknown) => {
      if (isRefusal(error)) {
        await undo(db, user_id, by);
        await keepActive(db, identity);
      }
      throw error;
    });
  await endProviderSessions(options, { connection_id, user_id });
  return isDisabled ? { account_status: 'disabled' } : undefined;
}

const LAST_OWNER =
  'This person is the last Owner of the organization who can act; name another Owner before you deactivate or delete them';

/** @throws {AppError} forbidden if a user is the last Owner of the organization who can act. */
export async function refuseLastOwner(
  { db }: Pick<ProvisioningOptions, 'db'>,
  { organization_id }: Connection,
  { user_id }: Pick<Identity, 'user_id'>,
): Promise<void> {
  const organization = await db.organizations.findOne({ organization_id, 'owners.user_id': user_id });
  if (organization) await requireAnotherOwner(db, otherOwners(organization, user_id), LAST_OWNER);
}
