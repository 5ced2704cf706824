import { randomUUID } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { networksOf } from '../http/address.ts';
import { AppError } from '../http/errors.ts';
import { type Collections, collection, isDuplicateKey } from './connect.ts';
import { HOUR } from './hourly-budget.ts';

/** The uses of one budget, such as the mails to one address or the wrong passwords of one account. Times are Unix seconds. */
interface StoredBudget {
  key: string;
  /** The latest uses, oldest first, at most the limit. */
  uses: { id: string; at: number }[];
  expires_at: Date;
}

export const budgetCollections = {
  // The stored name is older: at first it held those of invitations only.
  budgets: collection<StoredBudget>('invitation_budgets', [
    { key: { key: 1 }, unique: true },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};

export type BudgetDatabase = Collections<typeof budgetCollections>;

/** How often something may happen. */
export interface SlidingBudget {
  key: string;
  limit: number;
  /** The length of the sliding window. */
  seconds: number;
}

/** Counts one use in one atomic write. @throws {AppError} rateLimited when the budget is spent. */
export async function spend(
  db: BudgetDatabase,
  { key, limit, seconds }: SlidingBudget,
  use: { id: string; at: number },
): Promise<void> {
  const write = (upsert: boolean) =>
    db.budgets.updateOne(
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
    const [oldest] = (await db.budgets.findOne({ key }))?.uses ?? [];
    const retryAfter = Math.max(1, (oldest?.at ?? use.at) + seconds - use.at);
    throw new AppError('rateLimited', { retryAfter, limit });
  }
}

/** Does what uses were spent for. A failure takes them back. */
export const orTakeBack = <T>(takeBack: () => Promise<void>, work: () => Promise<T>): Promise<T> =>
  work().catch(async (error) => {
    await takeBack();
    throw error;
  });

/** An hourly budget of an account. */
export const accountBudget = (name: string, account: ObjectId, limit: number): SlidingBudget => ({
  key: `${name} of ${account.toHexString()}`,
  limit,
  seconds: HOUR,
});

/** An hourly budget of each network of a client. */
export const networkBudgets = (name: string, address: string, limit: number): SlidingBudget[] =>
  networksOf(address).map(({ key, share }) => ({
    key: `${name} ${key}`,
    limit: limit * share,
    seconds: HOUR,
  }));

/**
 * Counts one use in every budget, each in one atomic write. A use that one of them refuses is taken back from the
 * others; a crash in between leaves it counted.
 * @param now Unix milliseconds.
 * @param id names the use.
 * @returns a function that takes the use back.
 * @throws {AppError} rateLimited when a budget is spent.
 */
export async function spendAll(
  db: BudgetDatabase,
  budgets: readonly SlidingBudget[],
  now: number,
  id: string = randomUUID(),
): Promise<() => Promise<void>> {
  if (budgets.length === 0) return async () => {};
  const use = { id, at: Math.floor(now / 1000) };
  const keys = budgets.map(({ key }) => key);
  const takeBack = async () =>
    void (await db.budgets.updateMany({ key: { $in: keys } }, { $pull: { uses: { id } } }));
  try {
    for (const budget of budgets) await spend(db, budget, use);
  } catch (error) {
    await takeBack();
    throw error;
  }
  return takeBack;
}
