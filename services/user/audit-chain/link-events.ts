import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease } from '@gatehouse/shared/durable/lease';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import {
  commitmentsOf,
  fixedDigest,
  linkOf,
  newSalts,
} from '@gatehouse/shared/identity/audit-chain/commitments';
import { type AuditLink, dayOf } from '@gatehouse/shared/identity/audit-chain/records';
import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';
import { isPassDue, markEarlierEvents } from './mark-earlier-events.ts';

/** Events in a batch. A larger batch would block other calls at the database for longer. */
const BATCH = 250;
/** Milliseconds between two looks for events. */
export const INTERVAL = 1_000;
/** Milliseconds until another process continues for one that was killed. */
const LEASE = 10_000;
/** The only document of its kind. */
const WORK = { _id: 'link' } as const;

interface Options {
  db: Pick<Database, 'auditEvents' | 'auditChain' | 'auditLeases'>;
  now: () => number;
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** Events in a batch; tests use fewer. */
  batch?: number;
}

/**
 * Adds audit events to the chain, after the fact: nobody who causes one waits for it (docs/OPERATIONS.md, "Proving what
 * was done"). An event is stored with a mark, which is removed once it has its link, so an event that is stored late is
 * linked late and never lost. A position is taken once, and so is an event, by unique indexes: of two processes that
 * both think they hold the lease, one fails. A kill after a part of a batch leaves links that the next run finds.
 */
export function createLinker({ log, ...options }: Options): Poller {
  return createPoller({
    interval: INTERVAL,
    run: (isStopping) => linkEvents({ ...options, log }, isStopping),
    log,
    failure: 'cannot link audit events',
  });
}

export async function linkEvents(
  { db, now, batch = BATCH }: Options,
  isStopping = () => false,
): Promise<void> {
  const lease = createLease({
    collection: db.auditLeases,
    due: 'until',
    holder: 'holder',
    duration: LEASE,
    now,
  });
  const [waiting, known] = await bounded(
    Promise.all([
      db.auditEvents.findOne({ unlinked: true }, { projection: { _id: 1 } }),
      db.auditLeases.findOne(WORK),
    ]),
  );
  if (!waiting && known && !isPassDue(known, now())) return;
  await bounded(db.auditLeases.updateOne(WORK, { $setOnInsert: { until: new Date(0) } }, { upsert: true }));
  const work = await bounded(lease.claim(WORK));
  if (!work) return;
  const renew = async (update = {}) => !isStopping() && (await bounded(lease.renew(WORK._id, update)));
  let mayContinue = true;
  while (mayContinue && (await linkBatch(db, now(), batch))) mayContinue = await renew();
  if (mayContinue && isPassDue(work, now())) await markEarlierEvents(db, work, { now: now(), renew });
  await bounded(lease.release(WORK._id, new Date(now())));
}

/** @returns whether more may be waiting. */
async function linkBatch(db: Options['db'], now: number, batch: number): Promise<boolean> {
  const waiting = await bounded(withSalts(db, batch));
  if (waiting.length === 0) return false;
  const ids = waiting.map(({ _id }) => _id);
  const [last, linked] = await bounded(
    Promise.all([
      db.auditChain.findOne({}, { sort: { _id: -1 } }),
      db.auditChain.distinct('event', { event: { $in: ids } }),
    ]),
  );
  const known = new Set(linked.map(String));
  const entries = entriesAfter(
    last,
    waiting.filter(({ _id }) => !known.has(String(_id))),
    now,
  );
  // In order: a batch that is interrupted leaves its beginning.
  if (entries.length > 0) await bounded(db.auditChain.insertMany(entries));
  await bounded(db.auditEvents.updateMany({ _id: { $in: ids } }, { $unset: { unlinked: true } }));
  return waiting.length === batch;
}

/** The events that wait, oldest first. Those of an earlier version get the salts that they lack. */
async function withSalts({ auditEvents }: Options['db'], limit: number): Promise<WithId<AuditEvent>[]> {
  const read = () =>
    auditEvents.find({ unlinked: true }).sort({ event_id: 1 }).limit(limit).batchSize(limit).toArray();
  const waiting = await read();
  const bare = waiting.filter(({ salts }) => !salts);
  if (bare.length === 0) return waiting;
  await auditEvents.bulkWrite(
    bare.map((event) => ({
      updateOne: {
        filter: { _id: event._id, salts: { $exists: false } },
        update: { $set: { salts: newSalts(event) } },
      },
    })),
    { ordered: false },
  );
  // Read again: an erasure may have come between.
  return (await read()).filter(({ salts }) => salts);
}

function entriesAfter(
  last: AuditLink | null,
  events: readonly WithId<AuditEvent>[],
  now: number,
): AuditLink[] {
  // A day that has ended stays as it is, also when the clock of this process is behind.
  const day = dayOf(Math.max(now, last?.day.getTime() ?? 0));
  let { _id: position, link: previous } = last ?? { _id: 0, link: '' };
  return events.map((event) => {
    position += 1;
    const { event_id, action, at } = event;
    const entry = {
      _id: position,
      day,
      event: event._id,
      event_id,
      action,
      at,
      fixed: fixedDigest(event),
      personal: commitmentsOf(event),
    };
    previous = linkOf(previous, entry);
    return { ...entry, link: previous };
  });
}
