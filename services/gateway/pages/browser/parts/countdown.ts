import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { CODE_LIFETIME, type Pending } from '../pending.ts';
import { formatCountdown, texts } from '../texts.ts';
import { Button } from './button.ts';

/** How long the code is still valid, and a way to another one. */
export function Countdown({ pending, onResend }: { pending: Pending; onResend: () => Promise<void> }) {
  const remaining = () => Math.max(0, Math.ceil((pending.sentAt - Date.now()) / 1000) + CODE_LIFETIME);
  const [seconds, setSeconds] = useState(remaining);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    setSeconds(remaining());
    const timer = setInterval(() => setSeconds(remaining()), 250);
    return () => clearInterval(timer);
  }, [pending.sentAt]);
  const resend = async () => {
    setBusy(true);
    await onResend().finally(() => setBusy(false));
  };
  return html`
    <div class="countdown">
      <p role="timer" aria-live="off">
        ${seconds > 0 ? texts.code.validFor(formatCountdown(seconds)) : texts.code.expired}
      </p>
      <p class="visually-hidden" role="status">${seconds === 0 ? texts.code.expired : ''}</p>
      <${Button} kind="link" busy=${busy} onClick=${resend}>${texts.code.resend}<//>
    </div>
  `;
}
