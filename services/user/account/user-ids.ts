import { randomInt } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Collection, Document } from 'mongodb';
import type { COLLECTIONS, Database } from '../database.ts';

/** The digits of an id until half of those numbers are taken (CONTRACT.md §User record). */
const DIGITS = 6;
/** How many random ids show whether half of the numbers are taken. */
const SAMPLE_SIZE = 1_000;

/** The fewest digits that a process still draws. It saves draws only: a new process finds out at its first collision. */
const fewestDigits = new WeakMap<Database, number>();
const digitsFor = (db: Database, digits: number): number => Math.max(digits, fewestDigits.get(db) ?? digits);

const randomId = (digits: number): string => `User-${randomInt(10 ** (digits - 1), 10 ** digits)}`;

/**
 * Where a deleted account leaves its user_id behind. A new account with that id would inherit its roles, chatbots,
 * webhooks, events, plan and history.
 */
const REFERENCES: readonly Reference[] = [
  ['features', 'user_id'],
  ['memberships', 'user_id'],
  ['memberships', 'invited_id'],
  ['organizations', 'owners.user_id'],
  ['organizations', 'offers.user_id'],
  ['chatbots', 'owner_id'],
  ['chatbots', 'permissions.user_id'],
  ['webhooks', 'owner_id'],
  ['events', 'readers'],
  ['ssoIdentities', 'user_id'],
  ['loginNames', 'user_id'],
  ['auditEvents', 'user_id'],
  ['auditEvents', 'target.user_id'],
  ['operators', '_id'],
  ['deletedUsers', '_id'],
];
type Reference = readonly [keyof typeof COLLECTIONS, string];

/** Returns whether an account has this id or another record refers to it. One command checks every collection. */
async function isUsed(db: Database, id: string): Promise<boolean> {
  const naming = (field: string) => [{ $match: { [field]: id } }, { $limit: 1 }, { $project: { _id: 1 } }];
  const unions = REFERENCES.map(([collection, field]) => ({
    $unionWith: { coll: db[collection].collectionName, pipeline: naming(field) },
  }));
  const found = await db.users.aggregate([...naming('user_id'), ...unions]).toArray();
  return found.length > 0;
}

/** Returns which of these ids are named there. */
async function namedIds(
  db: Database,
  ids: readonly string[],
  places: readonly Reference[],
): Promise<Set<unknown>> {
  const named = await Promise.all(
    places.map(([collection, field]) =>
      (db[collection] as unknown as Collection<Document>).distinct(field, { [field]: { $in: ids } }),
    ),
  );
  return new Set(named.flat());
}

/**
 * Returns random ids of this length that no account has or had; other records may still name one.
 * @returns none if about half of the length is taken.
 */
async function sampleIds(db: Database, size: number, digits: number): Promise<string[]> {
  const sample = [...new Set(Array.from({ length: size }, () => randomId(digits)))];
  const taken = await namedIds(db, sample, [
    ['users', 'user_id'],
    ['deletedUsers', '_id'],
  ]);
  if (2 * taken.size < sample.length) return sample.filter((id) => !taken.has(id));
  fewestDigits.set(db, digitsFor(db, digits + 1));
  return [];
}

/**
 * Calls `write` with a random user_id that no account has and nothing refers to. The unique index decides which
 * account gets an id; a collision draws again. Only a collision makes it look how many ids are taken.
 */
export async function withNewUserId<T>(
  db: Database,
  write: (user_id: string) => Promise<T>,
  fewest = DIGITS,
): Promise<T> {
  let digits = digitsFor(db, fewest);
  let candidates = [randomId(digits)];
  for (;;) {
    for (const candidate of candidates) {
      if (await isUsed(db, candidate)) continue;
      try {
        return await write(candidate);
      } catch (error) {
        if (!isDuplicateKey(error, 'user_id')) throw error;
      }
    }
    candidates = await sampleIds(db, SAMPLE_SIZE, digits++);
  }
}

/**
 * Draws unused ids for accounts that are written together. The number of queries does not depend on `count`. There may
 * be fewer than `count` ids, and another account may take one before the write.
 * @param places where records may name an id.
 */
export async function drawUserIds(
  db: Database,
  count: number,
  fewest = DIGITS,
  places: readonly Reference[] = REFERENCES,
): Promise<string[]> {
  for (let digits = digitsFor(db, fewest); ; digits += 1) {
    // More than half of a sample is free.
    const free = await sampleIds(db, Math.max(SAMPLE_SIZE, 2 * count), digits);
    if (free.length === 0) continue;
    const drawn = free.slice(0, count);
    const named = await namedIds(db, drawn, places);
    return drawn.filter((id) => !named.has(id));
  }
}

/**
 * Returns the places whose collections hold records. To ask an empty one about hundreds of ids costs as much as another:
 * an import into a new deployment draws its ids in a fifth of the time. `npm run bench -- import`: 0.63 with it,
 * 0.38 without it.
 */
export async function placesWithRecords(db: Database): Promise<Reference[]> {
  const names = [...new Set(REFERENCES.map(([name]) => name))];
  const found = await Promise.all(
    names.map((name) =>
      (db[name] as unknown as Collection<Document>).findOne({}, { projection: { _id: 1 } }),
    ),
  );
  const filled = new Set(names.filter((_, index) => found[index]));
  return REFERENCES.filter(([name]) => filled.has(name));
}

/**
 * Returns which of these ids an account has or had, or another record names. A features record alone is what an
 * interrupted import leaves.
 */
export const takenAmong = (db: Database, ids: readonly string[]): Promise<Set<unknown>> =>
  namedIds(db, ids, [
    ['users', 'user_id'],
    ...REFERENCES.filter(([collection]) => collection !== 'features'),
  ]);
