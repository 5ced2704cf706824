/** Calls at most this many are remembered, so that strangers cannot fill the memory. */
const MOST = 10_000;

/** Remembers the result of a read for each key. A failure is not remembered. @param lifetime milliseconds. */
export function remember<T>(read: (key: string) => Promise<T>, lifetime: number, now: () => number) {
  const known = new Map<string, { result: Promise<T>; until: number }>();
  return (key: string): Promise<T> => {
    const found = known.get(key);
    if (found && now() < found.until) return found.result;
    const result = read(key);
    // The entry becomes the newest one: a Map keeps the order of insertion.
    known.delete(key);
    known.set(key, { result, until: now() + lifetime });
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    result.catch(() => known.get(key)?.result === result && known.delete(key));
    return result;
  };
}
