import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../gate.ts';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { FAILED } from './form.ts';

/** Milliseconds for which a success is shown. An error stays until it is closed. */
const SHOWN_FOR = 8_000;

export interface Result {
  succeed: (text: string) => void;
  fail: (error: unknown) => void;
  clear: () => void;
  shown: { kind: 'success' | 'error'; text: string } | undefined;
}

/** What came of the latest action of a page. */
export function useResult(): Result {
  const [shown, setShown] = useState<Result['shown']>();
  useEffect(() => {
    const clear = () => setShown((before) => (before?.kind === 'success' ? undefined : before));
    addEventListener(FAILED, clear);
    return () => removeEventListener(FAILED, clear);
  }, []);
  return {
    shown,
    succeed: (text) => setShown({ kind: 'success', text }),
    fail: (error) => {
      const text = error instanceof ApiError ? error.message : texts.errors.unexpected;
      setShown({ kind: 'error', text });
    },
    clear: () => setShown(undefined),
  };
}

/** Shows a result above the page and announces it. */
export function ResultToast({ result: { shown, clear } }: { result: Result }) {
  useEffect(() => {
    if (shown?.kind !== 'success') return;
    const timer = setTimeout(clear, SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [shown]);
  return html`
    <div class="toast" role="status">
      ${
        shown &&
        html`
          <div class="notice ${shown.kind}">
            <p>${shown.text}</p>
            <button type="button" class="close" aria-label=${texts.dialog.close} onClick=${clear}>×</button>
          </div>
        `
      }
    </div>
  `;
}
