/**
 * Gives each write an Idempotency-Key. A call whose answer was lost may have been made: the same call again gets the
 * same key, also when a person repeats it later.
 */
export function createKeys() {
  const unanswered = new Map<string, string>();
  return {
    /** @param content what makes two calls the same. */
    take(content: string): string {
      const key = unanswered.get(content) ?? randomKey();
      unanswered.delete(content);
      return key;
    },
    keep: (content: string, key: string) => void unanswered.set(content, key),
  };
}

/** Only secure contexts have `randomUUID`, and React Native has neither. A key only has to be new to its account. */
const randomKey = (): string =>
  globalThis.crypto?.getRandomValues(new Uint32Array(4)).join('-') ??
  `${Date.now()}-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
