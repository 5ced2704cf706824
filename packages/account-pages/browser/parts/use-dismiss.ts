import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Closes what is open when Escape is pressed, or when the pointer or the focus goes elsewhere. */
export function useDismiss(
  root: RefObject<HTMLElement | null>,
  isOpen: boolean,
  close: (by: 'escape' | 'elsewhere') => void,
): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && close('escape');
    const onElsewhere = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) close('elsewhere');
    };
    addEventListener('keydown', onKey);
    addEventListener('pointerdown', onElsewhere);
    addEventListener('focusin', onElsewhere);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener('pointerdown', onElsewhere);
      removeEventListener('focusin', onElsewhere);
    };
  }, [isOpen]);
}
