import { isDuplicateKey } from '../data/connect.ts';
import { optimistic } from './optimistic.ts';

/**
 * Stores a document in the lowest free slot. A unique index on the slot bounds how many there are. A concurrent
 * call that takes the same slot makes the index refuse this one, and the next free slot is tried. There is no second
 * write, so a kill leaves nothing.
 * @param fields the fields that are numbered, each with its unique index.
 * @param freeSlots reads which slots are free. @throws what the caller of a full list gets.
 * @param insert stores the document in these slots.
 */
export const insertInFreeSlot = <Slots, Stored>(
  fields: readonly string[],
  freeSlots: () => Promise<Slots>,
  insert: (slots: Slots) => Promise<Stored>,
): Promise<Stored> =>
  optimistic(async () => {
    const slots = await freeSlots();
    try {
      return await insert(slots);
    } catch (error) {
      if (!fields.some((field) => isDuplicateKey(error, field))) throw error;
      return undefined;
    }
  });

/** The lowest number below `limit` that is not taken; undefined if there is none. */
export const lowestFree = (taken: Iterable<unknown>, limit: number): number | undefined => {
  const used = new Set(taken);
  return Array.from({ length: limit }, (_, slot) => slot).find((slot) => !used.has(slot));
};
