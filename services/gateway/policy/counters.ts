import type { Window } from '@gatehouse/shared/access/tiers';
import { networksOf } from '@gatehouse/shared/http/address';
import { AppError } from '@gatehouse/shared/http/errors';

export type { Window };

/** The state of the window that is closest to its limit. */
export interface Budget {
  limit: number;
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
  /** Whether this use was refused, and so not counted. */
  exceeded: boolean;
}

/** A use that was counted, or refused. */
interface Spent extends Budget {
  /** Takes a counted use back where it was counted, from the windows that have not ended. Call it once. */
  refund(): Promise<void>;
}

/** What is counted, and up to which limits. */
export interface Use {
  key: string;
  windows: readonly Window[];
}

/** Counts uses by key. The caller passes the limits: a change of plan takes effect on the next call. */
export interface Counters {
  /** Counts one use in every window, or in none when a window is at its limit. Atomic. */
  spend(key: string, windows: readonly Window[]): Promise<Spent>;
  /** Reads the budget without counting a use. */
  peek(key: string, windows: readonly Window[]): Promise<Budget>;
  /** Resets the key. */
  clear(key: string, windows: readonly Window[]): Promise<void>;
}

/** The error for a use that was refused. */
export const rateLimited = ({ resetMs, limit }: Budget): AppError =>
  new AppError('rateLimited', { retryAfter: Math.ceil(resetMs / 1000), limit });

/** The count of one window, and milliseconds until the window ends. */
export type Usage = [used: number, resetMs: number];

/** @param usages after the use, one for each window. */
export const budgetOf = (windows: readonly Window[], usages: readonly Usage[], exceeded: boolean): Budget =>
  closest(
    windows.map(({ limit, seconds }, index) => {
      const [used, resetMs] = usages[index] ?? [0, seconds * 1000];
      return { limit, remaining: Math.max(0, limit - used), resetMs, exceeded };
    }),
  );

/** Returns the budget that is closest to its limit; if several are, the one whose window ends later. */
export const closest = (budgets: readonly Budget[]): Budget =>
  budgets.reduce((nearest, budget) => {
    const order = budget.remaining - nearest.remaining || nearest.resetMs - budget.resetMs;
    return order < 0 ? budget : nearest;
  });

/**
 * The uses of a budget that counts networks: each network of the address has its share of the limits.
 * @param budget names the budget.
 */
export const networkUses = (budget: string, address: string, windows: readonly Window[]): Use[] =>
  networksOf(address).map(({ key, share }) => ({
    key: `${budget}${key}`,
    windows: windows.map(({ seconds, limit }) => ({ seconds, limit: limit * share })),
  }));
