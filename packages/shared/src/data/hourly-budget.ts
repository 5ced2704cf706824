import { AppError } from '../http/errors.ts';

/** Budgets within a sliding hour, in Unix seconds. */
export const HOUR = 3600;

/** The 429 for a budget whose uses of the last hour, oldest first, are all that it allows. */
export const hourlyBudgetSpent = (uses: number[] = [], now: number): AppError =>
  new AppError('rateLimited', { retryAfter: (uses[0] ?? now) + HOUR - now, limit: uses.length });
