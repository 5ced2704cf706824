import { useLayoutEffect } from 'preact/hooks';

/** Moves the focus to the first field of a step that replaces another one of the same page. */
export function useAutofocus(): void {
  useLayoutEffect(() => document.querySelector<HTMLElement>('main [autofocus]')?.focus(), []);
}
