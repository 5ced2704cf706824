import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Database } from '../database.ts';

/** Bytes of responses that are stored for one account in 24 hours (CONTRACT.md §Idempotency). */
const MAX_BYTES = 16 * 1024 * 1024;
const WINDOW_MS = 24 * 3_600_000;

/**
 * Takes storage of an account for a response.
 * @param now Unix milliseconds.
 * @returns whether there was enough left.
 */
export async function takeStorage(
  { idempotencyStorage }: Pick<Database, 'idempotencyStorage'>,
  account: string,
  bytes: number,
  now: number,
): Promise<boolean> {
  const at = new Date(now);
  const isCurrent = { $gt: ['$expires_at', at] };
  const add = (upsert: boolean) =>
    idempotencyStorage.updateOne(
      { _id: account, $or: [{ expires_at: { $lte: at } }, { bytes: { $lte: MAX_BYTES - bytes } }] },
      [
        {
          $set: {
            bytes: { $cond: [isCurrent, { $add: ['$bytes', bytes] }, bytes] },
            expires_at: { $cond: [isCurrent, '$expires_at', new Date(now + WINDOW_MS)] },
          },
        },
      ],
      { upsert },
    );
  try {
    await add(true);
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return (await add(false)).matchedCount === 1; // the storage is full, or a concurrent call began the count
  }
}
