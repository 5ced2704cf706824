/** Keeps the session between two starts of an app: in a browser, in a file, in the keychain of a phone. */
export interface SessionStorage {
  read(): string | null | Promise<string | null>;
  /** @param value null removes it. */
  write(value: string | null): void | Promise<void>;
  /** Calls a listener when another tab has written. @returns the function that stops it. */
  onChange?(listener: () => void): () => void;
}

/** Forgets the session with the page or the process. */
export function memoryStorage(): SessionStorage {
  let kept: string | null = null;
  return {
    read: () => kept,
    write: (value) => {
      kept = value;
    },
  };
}

/** The part of a browser that is used. It is not there on a server, in a worker and in React Native. */
interface Browser {
  localStorage?: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
  addEventListener?(type: 'storage', listener: (event: { key: string | null }) => void): void;
  removeEventListener?(type: 'storage', listener: (event: { key: string | null }) => void): void;
}

/** Keeps the session in `localStorage`, which all tabs share. Without one, or if it is forbidden, in memory. */
export function browserStorage(key = 'gatehouse.session'): SessionStorage {
  const browser = globalThis as unknown as Browser;
  const kept = browser.addEventListener && accessible(() => browser.localStorage);
  if (!kept) return memoryStorage();
  return {
    read: () => kept.getItem(key),
    write: (value) => (value === null ? kept.removeItem(key) : kept.setItem(key, value)),
    onChange(listener) {
      // The key is null when everything was removed.
      const listen = (event: { key: string | null }) => {
        if (event.key === key || event.key === null) listener();
      };
      browser.addEventListener?.('storage', listen);
      return () => browser.removeEventListener?.('storage', listen);
    },
  };
}

/** A browser in which the person forbids storage throws. */
function accessible<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
