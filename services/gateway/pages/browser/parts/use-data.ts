import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { texts } from '../texts.ts';

/** The data of a view. While it is loaded again, what was there stays. */
export interface Loaded<T> {
  data?: T;
  error?: ApiError;
  busy: boolean;
  reload: () => Promise<void>;
}

/**
 * Loads the data of a view.
 * @param key names the data; when it changes, other data is loaded, and an answer for the earlier key is dropped.
 */
export function useData<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: ApiError; busy: boolean }>({ busy: true });
  const current = useRef(key);
  const reload = async () => {
    current.current = key;
    setState((before) => ({ ...before, busy: true }));
    const outcome = await load().then(
      (data) => ({ data }),
      (error) => ({ error: error instanceof ApiError ? error : new ApiError(texts.errors.unexpected) }),
    );
    if (current.current === key)
      setState((before) => ({ ...before, error: undefined, ...outcome, busy: false }) as typeof state);
  };
  useEffect(() => void reload(), [key]);
  return { ...state, reload };
}
