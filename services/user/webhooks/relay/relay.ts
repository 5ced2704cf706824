import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import { bounded } from '../../database-timeout.ts';
import { createPoller } from '../../poller.ts';
import { updateMethod } from '../../update-method.ts';
import { batched } from '../delivery/batched.ts';
import type { Accept } from '../intake/accept.ts';
import { ownEventsOf, type Relayed } from './own-events.ts';
import { createRelayLease } from './relay-lease.ts';

/** Audit events in a batch. A larger one would keep other calls waiting at the database. */
const BATCH = 125;
/** Milliseconds for which events wait for others. A batch takes eight commands, however many events it has. */
const GATHER = 150;
/** Milliseconds that a run in progress may take when the service stops. */
const GRACE = 3_000;

interface Options {
  db: Database;
  now: () => number;
  accept: Accept;
  log: FastifyBaseLogger;
  /** Milliseconds between two looks for the events of other processes. */
  poll: number;
  leaseDuration: number;
}

/**
 * Accepts events that audit events mean to webhooks, in order (CONTRACT.md §Events). The audit trail is the outbox: an
 * event is stored with a mark, which is removed once everything is accepted. Whatever a kill or a stalled database
 * leaves marked is relayed again, under the same ids.
 */
export interface Relay {
  start(): void;
  /** Relays events that this process has just stored. */
  relaySoon(events: readonly AuditEvent[]): void;
  stop(): Promise<void>;
}

export function createRelay({ db, now, accept, log, poll, leaseDuration }: Options): Relay {
  const lease = createRelayLease({ db, now, duration: leaseDuration });
  /** The relays of events that this process has stored, by event_id. */
  const running = new Map<string, Promise<unknown>>();
  const poller = createPoller({
    interval: poll,
    run: look,
    log,
    failure: 'cannot relay audit events to webhooks',
  });

  /** @returns how many events are accepted, and no longer marked. */
  async function relay(events: readonly AuditEvent[]): Promise<number> {
    const relayed = await bounded(ownEventsOf(db, events));
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
    return done.length;
  }

  /** An id that is known, or taken by what an earlier attempt made of the same audit event, counts as accepted. */
  const acceptAll = ({ incoming }: Relayed) => Promise.all(incoming.map(accept));

  const relayOwn = batched(
    async (events: AuditEvent[]) => {
      await relay(events);
      return [];
    },
    { maxItems: BATCH, isBounded: true, gather: GATHER },
  );

  async function look(): Promise<void> {
    const marked = (limit: number) =>
      bounded(
        db.auditEvents.find({ relay: true }).sort({ event_id: 1 }).limit(limit).batchSize(limit).toArray(),
      );
    if ((await marked(1)).length === 0) return;
    let goesOn = true;
    while (goesOn && !poller.stopping && (await bounded(lease.claim()))) {
      const events = await marked(BATCH);
      const notRunning = events.filter(({ event_id }) => !running.has(event_id));
      // An event of another process follows what this one stored before it.
      await Promise.all(events.map(({ event_id }) => running.get(event_id)));
      const relayed = notRunning.length > 0 ? await relay(notRunning) : 0;
      // What fails waits for the next look.
      goesOn = events.length === BATCH && relayed === notRunning.length;
    }
    await bounded(lease.release());
  }

  return {
    start: poller.start,
    relaySoon(events) {
      if (poller.stopping) return;
      for (const event of events) {
        // What fails stays marked, and `look` finds it.
        const run = relayOwn(event).catch((error) =>
          log.warn({ err: error }, 'event not relayed to webhooks yet'),
        );
        running.set(event.event_id, run);
        void run.finally(() => running.delete(event.event_id));
      }
    },
    async stop() {
      const runs = Promise.all([poller.stop(), ...running.values()]);
      await withTimeout(runs, GRACE, new Error('grace period over')).catch(() => {});
    },
  };
}
