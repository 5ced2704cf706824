interface Memoized<Key, Value> {
  get(key: Key): Promise<Value>;
  /** The values of every call that succeeded or is in progress. */
  all(): Promise<Value[]>;
}

/** Calls `make` once for each key. A call that fails is forgotten, so that the next one tries again. */
export function memoize<Key, Value>(make: (key: Key) => Promise<Value>): Memoized<Key, Value> {
  const calls = new Map<Key, Promise<Value>>();
  return {
    get(key) {
      const known = calls.get(key);
      if (known) return known;
      const call = make(key).catch((error) => {
        calls.delete(key);
        throw error;
      });
      calls.set(key, call);
      return call;
    },
    all: () => Promise.all(calls.values()),
  };
}
