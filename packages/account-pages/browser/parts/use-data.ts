import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../gate.ts';
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
 * @param key names the data; when it changes, other data is loaded. Only the answer to the latest call counts.
 */
export function useData<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: ApiError; busy: boolean; key: string }>({
    busy: true,
    key,
  });
  const latest = useRef(0);
  const reload = async () => {
    const call = ++latest.current;
    setState((before) => ({ ...before, busy: true, key }));
    const outcome = await load().then(
      (data) => ({ data }),
      (error) => ({ error: error instanceof ApiError ? error : new ApiError(texts.errors.unexpected) }),
    );
    if (latest.current === call)
      setState((before) => ({ ...before, error: undefined, ...outcome, busy: false }) as typeof state);
  };
  useEffect(() => void reload(), [key]);
  // The first rendering with another key shows the old data, and its own is not under way yet.
  return { ...state, busy: state.busy || state.key !== key, reload };
}

/** Refusals that mean that somebody else has changed what is shown. */
const OUT_OF_DATE = [403, 404, 409];

/** Changes something and loads the data again, also when the server refuses because it is out of date. */
export async function changeAndReload<T>(reload: () => Promise<void>, change: () => Promise<T>): Promise<T> {
  try {
    const changed = await change();
    await reload();
    return changed;
  } catch (error) {
    if (error instanceof ApiError && OUT_OF_DATE.includes(error.status)) await reload();
    throw error;
  }
}
