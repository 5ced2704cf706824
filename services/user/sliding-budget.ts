import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from './database.ts';

/** A budget of mails. */
export interface Budget {
  key: string;
  limit: number;
  /** The length of the sliding window. */
  seconds: number;
}

/** Counts one use in one atomic write. @throws {AppError} rateLimited when the budget is spent. */
export async function spend(
  db: Database,
  { key, limit, seconds }: Budget,
  use: { id: string; at: number },
): Promise<void> {
  const write = (upsert: boolean) =>
    db.invitationBudgets.updateOne(
      {
        key,
        $or: [{ [`uses.${limit - 1}`]: { $exists: false } }, { 'uses.0.at': { $lte: use.at - seconds } }],
      },
      {
        $push: { uses: { $each: [use], $slice: -limit } },
        $set: { expires_at: new Date((use.at + seconds) * 1000) },
      },
      { upsert },
    );
  try {
    await write(true);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // The budget exists: it is spent, or a concurrent call has just created it.
    if ((await write(false)).matchedCount === 1) return;
    const [oldest] = (await db.invitationBudgets.findOne({ key }))?.uses ?? [];
    const retryAfter = Math.max(1, (oldest?.at ?? use.at) + seconds - use.at);
    throw new AppError('rateLimited', { retryAfter, limit });
  }
}
