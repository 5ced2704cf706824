import { randomInt } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/users';
import type { Collection } from 'mongodb';

/** The numbers that follow `User-`, both bounds included (CONTRACT.md §User record). */
const RANGE = { first: 100_000, last: 999_999 };
/** Random draws before a crowded range is searched instead. */
const MAX_DRAWS = 8;
const BLOCK_SIZE = 1_000;

const userId = (number: number): string => `User-${number}`;

/**
 * Calls `write` with a random free user_id. The unique index decides what is free; a collision draws again.
 * @throws {AppError} unavailable when every id is taken.
 */
export async function withNewUserId<T>(
  users: Collection<User>,
  write: (user_id: string) => Promise<T>,
  { first, last } = RANGE,
): Promise<T> {
  for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
    const written = await unlessTaken(() => write(userId(randomInt(first, last + 1))));
    if (written) return written.result;
  }
  for await (const candidate of freeIds(users, { first, last })) {
    const written = await unlessTaken(() => write(candidate));
    if (written) return written.result;
  }
  throw new AppError('unavailable', { cause: new Error('every user_id is taken') });
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
async function* freeIds(users: Collection<User>, { first, last }: typeof RANGE): AsyncGenerator<string> {
  const blocks = Math.ceil((last - first + 1) / BLOCK_SIZE);
  const start = randomInt(blocks);
  for (let step = 0; step < blocks; step += 1) {
    const low = first + ((start + step) % blocks) * BLOCK_SIZE;
    const block = Array.from({ length: Math.min(BLOCK_SIZE, last - low + 1) }, (_, index) =>
      userId(low + index),
    );
    for (;;) {
      const taken = new Set(await users.distinct('user_id', { user_id: { $in: block } }));
      const free = block.filter((id) => !taken.has(id));
      if (free.length === 0) break;
      yield free[randomInt(free.length)] as string;
    }
  }
}
