import { LRUCache } from 'lru-cache';
import { budgetOf, type Counters, type Usage, type Window } from './counters.ts';

/** Bounds the memory that a flood of addresses can take: the least recently used key is forgotten first. */
const MAX_KEYS = 200_000;

interface Count {
  used: number;
  /** Unix milliseconds. */
  endsAt: number;
}

/** A test sets the counts back to what they were. */
interface Restorable {
  snapshot(): CountsSnapshot;
  restore(snapshot: CountsSnapshot): void;
}

export type CountsSnapshot = ReturnType<LRUCache<string, Count[]>['dump']>;

/** Counters in this process. Each operation is synchronous, and so atomic. */
export function memoryCounters(now: () => number, maxKeys = MAX_KEYS): Counters & Restorable {
  // maxSize instead of max, which would allocate every slot in advance.
  const counts = new LRUCache<string, Count[]>({ maxSize: maxKeys, sizeCalculation: () => 1 });

  /** The counts of a key; a window that has ended starts again at zero. */
  const current = (key: string, windows: readonly Window[]): Count[] => {
    const at = now();
    const known = counts.get(key) ?? [];
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
        counts.set(key, entry);
      }
      // A window that has ended has been replaced by another object.
      const refund = async () => {
        if (!exceeded) for (const count of entry) count.used -= 1;
      };
      return { ...budgetOf(windows, usages(entry), exceeded), refund };
    },
    peek: async (key, windows) => budgetOf(windows, usages(current(key, windows)), false),
    async clear(key) {
      counts.delete(key);
    },
    snapshot: () => structuredClone(counts.dump()),
    restore: (snapshot) => counts.load(structuredClone(snapshot)),
  };
}
