import { bounded } from '@gatehouse/shared/data/bounded';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { TIME_LIMIT } from '@gatehouse/shared/data/time-limit';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import type { Database } from '../../database.ts';
import type { HourFigures } from './records.ts';

const HOUR = 3_600_000;
/** Milliseconds until the events of a time count as stored: a request waits a second for its own. */
const SETTLED = 60_000;
/** Milliseconds of events that are worth a write. */
const STEP = 60_000;
/** How far the first process looks back. */
const BACKLOG = 31 * 24 * HOUR;

/** The actions that figures count. */
const COUNTED = ['signup', 'verify', 'login', 'sso.login', 'account.delete'] as const satisfies AuditAction[];

/**
 * Adds the audit events since the last call to the figures of their hours. Each event is read once, by its time. The
 * write names how far the hour was counted before, so that of several processes one adds a part, and a kill loses and
 * repeats nothing.
 */
export async function foldAudit(db: Database, now: () => number, isStopping = () => false): Promise<void> {
  while (!isStopping()) {
    const latest = await bounded(db.hourFigures.findOne({}, { sort: { _id: -1 } }));
    const from = latest?.until.getTime() ?? (await firstHour(db, now()));
    if (from === undefined) return;
    const hour = startOf(from);
    const to = Math.min(hour + HOUR, now() - SETTLED);
    if (to - from < STEP && to < hour + HOUR) return;
    const before = latest?._id.getTime() === hour ? latest : undefined;
    const counts = added(before?.counts ?? [], await countEvents(db, from, to));
    if (!(await store(db, { hour: new Date(hour), until: new Date(to), counts }, before))) return;
  }
}

/** The hour of the oldest event, within the backlog; undefined if there is none. */
async function firstHour(db: Database, now: number): Promise<number | undefined> {
  const oldest = await bounded(db.auditEvents.findOne({}, { sort: { at: 1 }, projection: { at: 1 } }));
  return oldest ? startOf(Math.max(oldest.at.getTime(), now - BACKLOG)) : undefined;
}

const startOf = (time: number): number => time - (time % HOUR);

type Counts = HourFigures['counts'];

const countEvents = (db: Database, from: number, to: number): Promise<Counts> =>
  bounded(
    db.auditEvents
      .aggregate<Counts[number]>(
        [
          { $match: { action: { $in: [...COUNTED] }, at: { $gte: new Date(from), $lt: new Date(to) } } },
          { $group: { _id: { action: '$action', outcome: '$outcome' }, count: { $sum: 1 } } },
          { $project: { _id: 0, action: '$_id.action', outcome: '$_id.outcome', count: 1 } },
        ],
        TIME_LIMIT,
      )
      .toArray(),
  );

function added(before: Counts, more: Counts): Counts {
  const sums = new Map<string, Counts[number]>();
  for (const { action, outcome, count } of [...before, ...more]) {
    const key = `${action} ${outcome}`;
    sums.set(key, { action, outcome, count: count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}

/** @returns false if another process has counted this part. */
async function store(
  db: Database,
  { hour, ...fields }: Pick<HourFigures, 'hour' | 'until' | 'counts'>,
  before: HourFigures | undefined,
): Promise<boolean> {
  if (before) {
    const { matchedCount } = await bounded(
      db.hourFigures.updateOne({ _id: hour, until: before.until }, { $set: fields }),
    );
    return matchedCount === 1;
  }
  try {
    await bounded(db.hourFigures.insertOne({ _id: hour, hour, ...fields }));
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
