import { useRef, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../visitor-texts.ts';
import { Button } from './button.ts';
import { FAILED } from './form.ts';
import { Notice } from './notice.ts';

export type Passkeys = typeof import('../passkeys.ts');

/** Proves something with a passkey, as an alternative to a form. */
export function PasskeyButton({ run }: { run: (passkeys: Passkeys) => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const isBusy = useRef(false); // state changes only with the next rendering
  const click = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    setBusy(true);
    setFailure('');
    await import('../passkeys.ts').then(run).catch((error) => {
      dispatchEvent(new Event(FAILED));
      setFailure(error instanceof Error ? error.message : texts.errors.unexpected);
    });
    isBusy.current = false;
    setBusy(false);
  };
  return html`
    ${failure && html`<${Notice} kind="error">${failure}<//>`}
    <${Button} busy=${busy} onClick=${click}>${texts.passkeys.use}<//>
  `;
}
