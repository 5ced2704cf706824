import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease, type Lease } from '@gatehouse/shared/durable/lease';
import { sendAll } from '@gatehouse/shared/durable/outbox';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { Notice } from '@gatehouse/shared/identity/notice-records';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { FastifyBaseLogger } from 'fastify';
import type { Document, WithId } from 'mongodb';
import type { Database } from '../database.ts';
import type { Mailer } from '../mail/mailer.ts';

/** Milliseconds between two looks for notices of other processes, such as the login service. */
export const INTERVAL = 5_000;
/** Milliseconds until another process may continue the notices of one that was killed, or that could not mail them. */
const LEASE = 60_000;
/** Milliseconds after which a notice is not mailed any more. */
const GIVE_UP_AFTER = 3 * 86_400_000;

interface Options {
  db: Pick<Database, 'users'>;
  mailer: Pick<Mailer, 'sendNotice'>;
  /** Returns Unix milliseconds. */
  now: () => number;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  isStopping: () => boolean;
}

export const createAccountNotices = (options: Omit<Options, 'isStopping'>): Poller =>
  createPoller({
    interval: INTERVAL,
    run: (isStopping) => sendAccountNotices({ ...options, isStopping }),
    log: options.log,
    failure: 'cannot tell people of changes of their accounts yet',
  });

/**
 * Mails the notices of accounts (CONTRACT.md §Notices). The notices on the user record are the outbox: the write that
 * changes the account stores them, and `notices_due` is the due time of their lease.
 */
export async function sendAccountNotices(options: Options): Promise<void> {
  const lease = createLease({
    collection: options.db.users,
    due: 'notices_due',
    holder: 'notices_holder',
    duration: LEASE,
    now: options.now,
  });
  while (!options.isStopping()) {
    const user = await bounded(lease.claim());
    if (!user) return;
    await mailNotices(options, lease, user);
  }
}

async function mailNotices(options: Options, lease: Lease<User>, user: WithId<User>): Promise<void> {
  const { db, mailer, now, log } = options;
  const { _id, notices = [], language } = user;
  const user_id = String(user.user_id ?? _id);
  const failed: Notice[] = [];
  const mails = notices.map((notice) => ({
    user_id,
    send: () =>
      mailer.sendNotice({ email: notice.to, ...(language && { language }) }, notice).catch((error) => {
        failed.push(notice);
        throw error;
      }),
    sent: { $pull: { notices: { id: notice.id } } },
  }));
  const renew = (update: Document) => lease.renew(_id, update);
  const failure = 'person not told of a change of their account yet';
  const result = await sendAll(mails, { ...options, renew, failure });
  if (result === 'interrupted') return;
  if (result === 'failed') {
    const last = new Date(now() - GIVE_UP_AFTER);
    const lost = failed.filter(({ at }) => at <= last);
    if (lost.length === 0) return; // tried again when the lease ends
    for (const { kind, at } of lost)
      log.error({ user_id, kind, at }, 'person not told of a change of their account');
    if (!(await bounded(renew({ $pull: { notices: { id: { $in: lost.map(({ id }) => id) } } } })))) return;
    if (lost.length < failed.length) return;
  }
  const { matchedCount } = await bounded(
    db.users.updateOne(
      { ...lease.held(_id), 'notices.0': { $exists: false } },
      { $unset: { notices: true, notices_due: true, notices_holder: true } },
    ),
  );
  // Another notice came while these were mailed.
  if (matchedCount === 0) await bounded(lease.release(_id, new Date(now())));
}
