import { useEffect, useState } from 'preact/hooks';
import type { Loaded } from './use-data.ts';

/** Milliseconds between two looks at something that is under way. */
export const INTERVAL = 4_000;

/**
 * Loads data again while something in it is under way and the page is seen.
 * @param maxLooks bounds the looks at something that does not move.
 */
export function usePolling(loaded: Loaded<unknown>, isUnderWay: boolean, maxLooks = 15): void {
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    if (!isUnderWay) setLooks(0);
    if (!isUnderWay || looks >= maxLooks) return;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      if (document.visibilityState === 'visible') void loaded.reload();
    }, INTERVAL);
    return () => clearTimeout(timer);
  }, [isUnderWay, looks]);
}
