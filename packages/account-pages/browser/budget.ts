import { toDeviceTime } from './server-clock.ts';

/** The budget of calls that an answer tells (CONTRACT.md §Rate tiers). */
export interface Budget {
  limit: number;
  remaining: number;
  /** When the window ends by the clock of this device; Unix milliseconds. */
  resetsAt: number;
}

let latest: Budget | undefined;
const listeners = new Set<(budget: Budget) => void>();

/** Remembers the budget that the latest answer tells. */
export function noteBudget(headers: Headers): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
  ) as [number, number, number];
  if (![limit, remaining, reset].every(Number.isFinite)) return;
  latest = { limit, remaining, resetsAt: toDeviceTime(reset * 1000) };
  for (const listener of listeners) listener(latest);
}

export const latestBudget = (): Budget | undefined => latest;

/** Calls a listener after each answer. @returns the function that stops it. */
export function onBudgetChange(listener: (budget: Budget) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
