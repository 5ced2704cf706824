import { networksOf } from '@gatehouse/shared/http/address';
import type { Use, Window } from './counters.ts';

/**
 * The uses of a budget that counts networks: each network of the address has its share of the limits.
 * @param budget names the budget.
 */
export const networkUses = (budget: string, address: string, windows: readonly Window[]): Use[] =>
  networksOf(address).map(({ key, share }) => ({
    key: `${budget}${key}`,
    windows: windows.map(({ seconds, limit }) => ({ seconds, limit: limit * share })),
  }));
