import { randomInt } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Collection, Document } from 'mongodb';
import type { COLLECTIONS, Database } from '../database.ts';

/** The numbers that follow `User-`, both bounds included (CONTRACT.md §User record). */
const RANGE = { first: 100_000, last: 999_999 };
/** Random draws before a crowded range is searched instead. */
const MAX_DRAWS = 8;
const BLOCK_SIZE = 1_000;

const userId = (number: number): string => `User-${number}`;

/**
 * Where a deleted account leaves its user_id behind. A new account with that id would inherit its roles, chatbots,
 * webhooks, events, plan and history.
 */
const REFERENCES: readonly Reference[] = [
  ['features', 'user_id'],
  ['memberships', 'user_id'],
  ['memberships', 'invited_id'],
  ['chatbots', 'owner_id'],
  ['webhooks', 'owner_id'],
  ['ssoIdentities', 'user_id'],
  ['loginNames', 'user_id'],
  ['auditEvents', 'user_id'],
  ['auditEvents', 'target.user_id'],
  ['deletedUsers', '_id'],
];
/** References inside arrays. Query them by id: of a range over an array, an index can use only one bound. */
const ARRAY_REFERENCES: readonly Reference[] = [
  ['organizations', 'owners.user_id'],
  ['organizations', 'offers.user_id'],
  ['chatbots', 'permissions.user_id'],
  ['events', 'readers'],
];
type Reference = readonly [keyof typeof COLLECTIONS, string];

type Ids = { $in: string[] } | { $gte: string; $lte: string };

/** Returns whether an account has this id or another record refers to it. One command checks every collection. */
async function isUsed(db: Database, id: string): Promise<boolean> {
  const naming = (field: string) => [{ $match: { [field]: id } }, { $limit: 1 }, { $project: { _id: 1 } }];
  const unions = [...REFERENCES, ...ARRAY_REFERENCES].map(([collection, field]) => ({
    $unionWith: { coll: db[collection].collectionName, pipeline: naming(field) },
  }));
  const found = await db.users.aggregate([...naming('user_id'), ...unions]).toArray();
  return found.length > 0;
}

/** Returns which of these ids other records still name. */
async function referencedIds(
  db: Database,
  ids: Ids,
  references: readonly Reference[] = [...REFERENCES, ...ARRAY_REFERENCES],
): Promise<Set<unknown>> {
  const named = await Promise.all(
    references.map(([collection, field]) =>
      (db[collection] as unknown as Collection<Document>).distinct(field, { [field]: ids }),
    ),
  );
  return new Set(named.flat());
}

/**
 * Calls `write` with a random user_id that no account has and nothing refers to. The unique index decides which
 * account gets an id; a collision draws again.
 * @throws {AppError} unavailable when every id is taken.
 */
export async function withNewUserId<T>(
  db: Database,
  write: (user_id: string) => Promise<T>,
  { first, last } = RANGE,
): Promise<T> {
  for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
    const candidate = userId(randomInt(first, last + 1));
    if (await isUsed(db, candidate)) continue;
    const written = await unlessTaken(() => write(candidate));
    if (written) return written.result;
  }
  for await (const candidate of freeIds(db, { first, last })) {
    const written = await unlessTaken(() => write(candidate));
    if (written) return written.result;
  }
  throw new AppError('unavailable', { cause: new Error('every user_id is taken') });
}

/**
 * Draws unused ids for accounts that are written together, from a random part of the range. The number of queries does
 * not depend on `count`. There may be fewer than `count` ids, and another account may take one before the write.
 */
export async function drawUserIds(db: Database, count: number, { first, last } = RANGE): Promise<string[]> {
  const size = Math.max(BLOCK_SIZE, 2 * count);
  const low = randomInt(first, last + 2 - size);
  const part = { $gte: userId(low), $lte: userId(low + size - 1) };
  const [referenced, taken] = await Promise.all([
    referencedIds(db, part, REFERENCES),
    db.users.distinct('user_id', { user_id: part }),
  ]);
  const used = new Set([...referenced, ...taken]);
  const free = Array.from({ length: size }, (_, index) => userId(low + index)).filter((id) => !used.has(id));
  const start = randomInt(Math.max(1, free.length - count + 1));
  const drawn = free.slice(start, start + count);
  const inArrays = await referencedIds(db, { $in: drawn }, ARRAY_REFERENCES);
  return drawn.filter((id) => !inArrays.has(id));
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<{ result: T } | undefined> {
  try {
    return { result: await write() };
  } catch (error) {
    if (isDuplicateKey(error, 'user_id')) return undefined;
    throw error;
  }
}

/** Yields free ids, block by block from a random one on. Others draw too, so each block is reread until it is full. */
async function* freeIds(db: Database, { first, last }: typeof RANGE): AsyncGenerator<string> {
  const blocks = Math.ceil((last - first + 1) / BLOCK_SIZE);
  const start = randomInt(blocks);
  for (let step = 0; step < blocks; step += 1) {
    const low = first + ((start + step) % blocks) * BLOCK_SIZE;
    const block = Array.from({ length: Math.min(BLOCK_SIZE, last - low + 1) }, (_, index) =>
      userId(low + index),
    );
    const referenced = await referencedIds(db, { $in: block });
    for (;;) {
      const taken = new Set(await db.users.distinct('user_id', { user_id: { $in: block } }));
      const free = block.filter((id) => !taken.has(id) && !referenced.has(id));
      if (free.length === 0) break;
      yield free[randomInt(free.length)] as string;
    }
  }
}
