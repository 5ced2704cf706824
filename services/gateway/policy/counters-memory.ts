import { budgetOf, type Counters, type Usage, type Window } from './counters.ts';

/** Keys remembered; beyond them those unused for longest are forgotten, so that a flood of addresses costs no memory. */
const MAX_KEYS = 200_000;

interface Count {
  used: number;
  /** Unix milliseconds. */
  endsAt: number;
}

/** Counters of one process. A call is one synchronous step and so atomic. */
export function memoryCounters(now: () => number): Counters {
  // Two halves, not one map that drops its first key: finding that takes ever longer, the more came before it.
  let recent = new Map<string, Count[]>();
  let older = new Map<string, Count[]>();
  const remember = (key: string, entry: Count[]): void => {
    if (recent.size >= MAX_KEYS / 2 && !recent.has(key)) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, entry);
  };
  const recall = (key: string): Count[] => {
    const entry = recent.get(key) ?? older.get(key);
    if (entry) remember(key, entry);
    return entry ?? [];
  };

  /** The counts of a key, those of ended windows begun anew. */
  const current = (key: string, windows: readonly Window[]): Count[] => {
    const at = now();
    const known = recall(key);
    return windows.map(({ seconds }, index) => {
      const count = known[index];
      return count && count.endsAt > at ? count : { used: 0, endsAt: at + seconds * 1000 };
    });
  };
  const usages = (entry: Count[]): Usage[] => entry.map(({ used, endsAt }) => [used, endsAt - now()]);

  return {
    async spend(key, windows) {
      const entry = current(key, windows);
      const exceeded = windows.some(({ limit }, index) => (entry[index]?.used ?? 0) >= limit);
      if (!exceeded) {
        for (const count of entry) count.used += 1;
        remember(key, entry);
      }
      return budgetOf(windows, usages(entry), exceeded);
    },
    peek: async (key, windows) => budgetOf(windows, usages(current(key, windows)), false),
    async refund(key, windows) {
      for (const count of current(key, windows)) count.used = Math.max(0, count.used - 1);
    },
    async clear(key) {
      recent.delete(key);
      older.delete(key);
    },
  };
}
