import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { Button } from './button.ts';
import type { Result } from './result.ts';

/** A button whose action calls the server. A second click waits for the first. */
export function ActionButton({
  run,
  result,
  kind,
  label,
  otherText,
  children,
}: {
  /** @returns the text that says what was done. */
  run: () => Promise<string>;
  result: Result;
  kind?: 'primary' | 'secondary' | 'plain' | 'link';
  label?: string | undefined;
  /** The text that the button has at other times; there is room for it. */
  otherText?: string;
  children?: ComponentChildren;
}) {
  const [busy, setBusy] = useState(false);
  const isBusy = useRef(false); // state changes only with the next rendering
  const click = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    setBusy(true);
    await run().then(result.succeed, result.fail);
    isBusy.current = false;
    setBusy(false);
  };
  return html`<${Button} kind=${kind} label=${label} busy=${busy} onClick=${click}>
    ${otherText === undefined ? children : html`<span class="labels"><span>${children}</span><span aria-hidden="true">${otherText}</span></span>`}
  <//>`;
}
