import { bounded } from '@gatehouse/shared/data/bounded';
import { updateMethod } from '@gatehouse/shared/data/update-method';
import { createLease } from '@gatehouse/shared/durable/lease';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database.ts';
import type { WebhookHost } from '../host.ts';
import type { Accept } from '../intake/accept.ts';
import { ownEventsOf, type Relayed } from './own-events.ts';

/** Audit events in a batch. A larger batch would block other calls at the database for longer. */
const BATCH = 125;
/** The only document of its collection. */
const LEASE = { _id: 'audit' } as const;

interface Options {
  db: Database;
  host: Pick<WebhookHost, 'belongingsOf'>;
  now: () => number;
  accept: Accept;
  log: FastifyBaseLogger;
  /** Milliseconds between polls. */
  poll: number;
  leaseDuration: number;
}

/**
 * Publishes audit events as webhook events, in order (CONTRACT.md §Events). The audit trail is the outbox: an audit
 * event is stored with a pending flag, which is removed once its webhook events are accepted. One process at a time
 * polls for the flag. After a kill or a database failure, the same events are relayed again under the same ids.
 */
export function createRelay({ db, host, now, accept, log, poll, leaseDuration }: Options): Poller {
  const lease = createLease({
    collection: db.relayLeases,
    due: 'until',
    holder: 'holder',
    duration: leaseDuration,
    now,
  });

  const pending = (limit: number) =>
    bounded(
      db.auditEvents.find({ relay: true }).sort({ event_id: 1 }).limit(limit).batchSize(limit).toArray(),
    );

  /** An event that an earlier attempt stored counts as accepted. */
  const acceptAll = ({ incoming }: Relayed) => Promise.all(incoming.map(accept));

  /** @returns whether more may be pending. Failed events stay pending until the next poll. */
  async function relayBatch(): Promise<boolean> {
    const events = await pending(BATCH);
    const relayed = await bounded(ownEventsOf({ db, host }, events));
    for (const { event_id, problems } of relayed)
      if (problems.length > 0) log.error({ event_id, problems }, 'audit event not relayed to webhooks');
    const results = await Promise.allSettled(relayed.map(acceptAll));
    const done = relayed.filter((_, index) => results[index]?.status === 'fulfilled');
    const event_id = { $in: done.map((each) => each.event_id) };
    if (done.length > 0)
      await bounded(
        db.auditEvents[updateMethod(done)]({ relay: true, event_id }, { $unset: { relay: true } }),
      );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) log.warn({ err: failed.reason }, 'events not relayed to webhooks yet');
    return events.length === BATCH && done.length === events.length;
  }

  return createPoller({
    interval: poll,
    async run(isStopping) {
      if ((await pending(1)).length === 0) return;
      await bounded(
        db.relayLeases.updateOne(LEASE, { $setOnInsert: { until: new Date(0) } }, { upsert: true }),
      );
      if (!(await bounded(lease.claim(LEASE)))) return;
      let mayContinue = await relayBatch();
      while (mayContinue && !isStopping() && (await bounded(lease.renew(LEASE._id))))
        mayContinue = await relayBatch();
      await bounded(lease.release(LEASE._id, new Date(now())));
    },
    log,
    failure: 'cannot relay audit events to webhooks',
  });
}
