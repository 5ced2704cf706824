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
  db: Database,
  account: string,
  bytes: number,
  now: number,
): Promise<boolean> {
  const { idempotencyStorage } = db;
  const at = new Date(now);
  const next = { bytes, expires_at: new Date(now + WINDOW_MS) };
  const add = () =>
    idempotencyStorage.updateOne(
      { _id: account, expires_at: { $gt: at }, bytes: { $lte: MAX_BYTES - bytes } },
      { $inc: { bytes } },
    );
  if ((await add()).matchedCount === 1) return true;
  // The database deletes an expired count some time later.
  const restarted = await idempotencyStorage.updateOne(
    { _id: account, expires_at: { $lte: at } },
    { $set: next },
  );
  if (restarted.matchedCount === 1) return true;
  try {
    await idempotencyStorage.insertOne({ _id: account, ...next });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return (await add()).matchedCount === 1; // another call began the count meanwhile, or it is full
  }
}
