import { duplicatePositions } from '@gatehouse/shared/data/bulk-errors';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Document } from 'mongodb';
import type { Database } from '../database.ts';
import type { OpenIntake, StoredEvent } from '../records.ts';

/**
 * The order of events. Each event has a position, and readers ask for events after the last position that they have
 * read. Intakes run concurrently in several processes, and an event with a higher position may be stored first. Readers
 * must not skip the lower one.
 *
 * One document holds the next free position and the open intakes, each with the positions that it has reserved. An
 * intake reserves with one atomic write, then stores its events, then is closed. Readers see positions below the end:
 * the lowest one of an open intake or, without any, the next free one. No event appears below the end later:
 * - Every intake with positions below it is closed, and an intake is closed only after the database has acknowledged
 *   its events with a majority. This is why the end is read before the events.
 * - An intake reserves above all earlier ones, so the end never moves back.
 * - An interrupted intake stays open and holds the end back. Before `repair` closes it, it fills every position without
 *   an event with a placeholder. Positions are unique, so a write that arrives later fails.
 *
 * The order does not depend on clocks. They only decide when `repair` fills an intake.
 */

const LOG = { _id: 'events' } as const;

/** Reserves positions for events that are about to be stored. */
export async function reservePositions(db: Database, id: string, count: number): Promise<OpenIntake> {
  const intake = { id: { $literal: id }, first: '$next', count: { $literal: count } };
  for (;;) {
    const log = await db.eventLog.findOneAndUpdate(
      LOG,
      [{ $set: { open: { $concatArrays: ['$open', [intake]] }, next: { $add: ['$next', count] } } }],
      { returnDocument: 'after' },
    );
    const reserved = log?.open.find((each) => each.id === id);
    if (reserved) return reserved;
    await create(db);
  }
}

/** Continues after the last event if the log was lost. */
async function create(db: Database): Promise<void> {
  const last = await db.events.findOne({ position: { $gt: 0 } }, { sort: { position: -1 } });
  await db.eventLog.insertOne({ ...LOG, next: (last?.position ?? 0) + 1, open: [] }).catch((error) => {
    if (!isDuplicateKey(error)) throw error; // another process created it
  });
}

/** Call once the events of an intake are acknowledged. */
export async function closeIntake(db: Database, id: string): Promise<void> {
  await db.eventLog.updateOne(LOG, { $pull: { open: { id } } });
}

export async function openIntakes(db: Database): Promise<OpenIntake[]> {
  return (await db.eventLog.findOne(LOG))?.open ?? [];
}

/** The position below which no further event appears. Read it before the events. */
export async function endOf(db: Database): Promise<number> {
  const log = await db.eventLog.findOne(LOG);
  return Math.min(log?.next ?? 1, ...(log?.open ?? []).map(({ first }) => first));
}

/** Matches the events of an intake. */
export const eventsOfIntake = ({ first, count }: OpenIntake) => ({
  position: { $gte: first, $lt: first + count },
});

/** Excludes placeholders. */
export const IS_EVENT = { placeholder: { $exists: false } };

/** Fills the positions of an intake that have no event. Afterwards no event can be stored there. */
export async function fillIntake(db: Database, intake: OpenIntake, expires_at: Date): Promise<void> {
  const stored = await db.events.distinct('position', eventsOfIntake(intake));
  const taken = new Set<unknown>(stored);
  const positions = Array.from({ length: intake.count }, (_, index) => intake.first + index);
  const placeholders: Document[] = positions
    .filter((position) => !taken.has(position))
    // No id of an event contains a period.
    .map((position) => ({ _id: `placeholder.${position}`, position, placeholder: true, expires_at }));
  if (placeholders.length === 0) return;
  await db.events.insertMany(placeholders as StoredEvent[], { ordered: false }).catch(duplicatePositions);
}
