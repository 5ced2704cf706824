import { randomUUID } from 'node:crypto';
import { createLease, type Lease, LeaseLost } from '@gatehouse/shared/durable/lease';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { unusableHash } from '@gatehouse/shared/identity/passwords';
import type { AccountDeletion, User } from '@gatehouse/shared/identity/user-record';
import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import { soleOwnerships } from '../../access/memberships/sole-ownerships.ts';
import type { ArchiveJob } from '../../archive/jobs/job.ts';
import type { Database } from '../../database.ts';
import { retireAddress } from '../../legacy/retired-addresses.ts';
import { removeAccount } from './remove.ts';

interface DeletionOptions {
  config: ArchiveJob['config'];
  db: Database;
  now: () => number;
  log: FastifyBaseLogger;
  leaseDuration: number;
  isStopping: () => boolean;
}

/** Milliseconds between two looks for accounts that are due. */
export const INTERVAL = 10_000;
/** Milliseconds until another process continues the deletion of one that was killed. */
const LEASE = 60_000;
/** Milliseconds after which an account is looked at again that was kept for an organization without another Owner. */
const KEPT_FOR = 86_400_000;
/** Milliseconds that the relay of audit events gets before the deletion goes on. */
const RELAY_TIME = 2_000;
/** Names of organizations in a notice. */
const MAX_NAMED = 20;

type DeletedUser = WithId<User> & { deletion: AccountDeletion };

export const createAccountDeletions = (
  options: Omit<DeletionOptions, 'leaseDuration' | 'isStopping'>,
): Poller =>
  createPoller({
    interval: INTERVAL,
    run: (isStopping) => runAccountDeletions({ ...options, leaseDuration: LEASE, isStopping }),
    log: options.log,
    failure: 'cannot delete accounts that are due',
  });

/**
 * Deletes the accounts that are due (CONTRACT.md §Deletion of accounts). A run that fails or is killed keeps its lease
 * until it expires; then any process continues. Each step may be repeated.
 */
export async function runAccountDeletions(options: DeletionOptions): Promise<void> {
  while (!options.isStopping() && (await deleteNext(options)));
}

/** Deletes the account that has been due for longest, or takes one step towards it. @returns whether one was due. */
async function deleteNext(options: DeletionOptions): Promise<boolean> {
  const { db, now, log, leaseDuration, isStopping } = options;
  const lease = createLease({
    collection: db.users,
    due: 'deletion.next',
    holder: 'deletion.lease',
    duration: leaseDuration,
    now,
  });
  const found = await db.users.findOne(
    { 'deletion.next': { $lte: new Date(now()) } },
    { sort: { 'deletion.next': 1 } },
  );
  if (!found) return false;
  const { _id } = found;
  const held = await begin(options, lease, found as DeletedUser);
  // A login has restored the account, it is kept, or another process was faster.
  if (!held) return true;
  const { begun_at, email = '' } = held.deletion;
  const began = begun_at?.getTime() ?? 0;
  const renew = async () => {
    if (isStopping() || !(await lease.renew(_id))) throw new LeaseLost();
  };
  try {
    const job = { ...options, id: _id.toHexString(), began, renew };
    if (!(await removeAccount(job, { _id, user_id: String(held.user_id), email })))
      await lease.release(_id, new Date(now() + RELAY_TIME));
  } catch (error) {
    if (!(error instanceof LeaseLost))
      log.warn({ err: error, user_id: found.user_id }, 'cannot delete an account; retrying later');
    else if (isStopping()) await lease.release(_id, new Date(now()));
  }
  return true;
}

/**
 * Begins the deletion of an account, or continues an interrupted one. The first write disables the account, with the
 * precondition that no login has restored it. Two Owners who lead an organization together may do this at once, so each is
 * checked again afterwards: then neither is deleted. The last write leaves nothing of the person on the record but what
 * the job needs, and frees the address.
 * @returns the record with a lease; null if the account is not to be deleted now.
 */
async function begin(
  options: DeletionOptions,
  lease: Lease<User>,
  found: DeletedUser,
): Promise<DeletedUser | null> {
  const { config, db, now } = options;
  const { _id, deletion, account_status } = found;
  const user_id = String(found.user_id);
  if (!deletion.begun_at) {
    const solelyOwned = await soleOwnerships(db, user_id);
    if (solelyOwned.length > 0) {
      const untouched = {
        _id,
        'deletion.next': deletion.next,
        'deletion.begun_at': { $exists: false },
      };
      await db.users.updateOne(untouched, keep(found, solelyOwned, now()));
      return null;
    }
  }
  const held = await (deletion.begun_at
    ? lease.claim({ _id })
    : lease.claim(
        { _id, account_status, 'deletion.begun_at': { $exists: false } },
        {
          $set: {
            account_status: 'disabled',
            sessions_valid_from: new Date(now()),
            'deletion.begun_at': new Date(now()),
            'deletion.account_status': account_status,
          },
        },
      ));
  if (!held?.deletion) return null;
  if (held.deletion.email !== undefined) return held as DeletedUser;
  const solelyOwned = await soleOwnerships(db, user_id);
  if (solelyOwned.length > 0) {
    // If SCIM has changed the status meanwhile, the next run decides anew.
    await db.users.updateOne(
      { ...lease.held(_id), 'deletion.account_status': held.deletion.account_status ?? null },
      keep(held as DeletedUser, solelyOwned, now()),
    );
    return null;
  }
  await retireAddress(config, db.retiredAddresses, held.email, now());
  return db.users.findOneAndReplace({ ...lease.held(_id), email: held.email }, strippedOf(held), {
    returnDocument: 'after',
  }) as Promise<DeletedUser | null>;
}

/** The update that keeps an account for a day. It tells the person once. */
function keep({ email, deletion }: DeletedUser, solelyOwned: { name: string }[], now: number) {
  const names = solelyOwned.map(({ name }) => name).slice(0, MAX_NAMED);
  const { account_status } = deletion;
  const update = {
    $set: {
      'deletion.next': new Date(now + KEPT_FOR),
      'deletion.kept': true as const,
      ...(account_status && { account_status }),
    },
    $unset: {
      'deletion.begun_at': true,
      'deletion.account_status': true,
      'deletion.lease': true,
      // Older records have none.
      ...(deletion.begun_at && !account_status && { account_status: true as const }),
    } as const,
  };
  if (deletion.kept) return update;
  return withNotice(
    update,
    newNotice({ kind: 'deletion_kept', to: email, at: now, details: { places: names } }),
  );
}

/** The record without anything of the person. Nobody can log in to it, and its address is free. */
const strippedOf = ({ email, user_id, deletion, ...user }: WithId<User>): User => ({
  // Unguessable: a signup with this address would block the deletion.
  email: `${randomUUID()}@deleted.invalid`,
  password: unusableHash(),
  name: '',
  verified: true,
  ...(user_id !== undefined && { user_id }),
  account_status: 'disabled',
  payment_status: user.payment_status,
  'user_created_at(DATE)': user['user_created_at(DATE)'],
  subscription_id: user.subscription_id,
  subscription_date: user.subscription_date,
  features_assigned: true,
  ...(user.sessions_valid_from && { sessions_valid_from: user.sessions_valid_from }),
  ...(deletion && { deletion: { ...deletion, email } }),
});
