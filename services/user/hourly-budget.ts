import { AppError } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/users';
import type { Filter } from 'mongodb';

/**
 * Budgets per user and sliding hour. The user record keeps the Unix seconds of the latest uses, oldest first,
 * as many as the budget allows.
 */
type Uses = 'invitation_times';

export const HOUR = 3600;

/** Matches users with budget left at `now`: fewer uses than the limit, or the oldest is an hour old. */
export const budgetLeft = (uses: Uses, limit: number, now: number): Filter<User> => ({
  $or: [{ [`${uses}.${limit - 1}`]: { $exists: false } }, { [`${uses}.0`]: { $lte: now - HOUR } }],
});

/** What `$push` takes to record a use at `now`. */
export const spendBudget = (uses: Uses, limit: number, now: number) => ({
  [uses]: { $each: [now], $slice: -limit },
});

/** The 429 for a user whose hourly budget is spent. */
export const hourlyBudgetSpent = (uses: number[] = [], now: number): AppError =>
  new AppError('rateLimited', { retryAfter: (uses[0] ?? now) + HOUR - now, limit: uses.length });
