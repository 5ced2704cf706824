import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { CODE_LIFETIME, isDead, type Pending, pendingCode } from '../pending.ts';
import { formatCountdown, texts } from '../texts.ts';
import { Button } from './button.ts';

/** How long the code is still valid, and a way to another one. */
export function Countdown({ pending, onResend }: { pending: Pending; onResend: () => Promise<void> }) {
  const remaining = () => Math.max(0, Math.ceil((pending.sentAt - Date.now()) / 1000) + CODE_LIFETIME);
  const [seconds, setSeconds] = useState(remaining);
  const [dead, setDead] = useState(isDead(pending));
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const look = () => {
      setSeconds(remaining());
      setDead(isDead(pendingCode() ?? pending));
    };
    look();
    const timer = setInterval(look, 250);
    return () => clearInterval(timer);
  }, [pending.sentAt]);
  const resend = async () => {
    setBusy(true);
    await onResend().finally(() => setBusy(false));
  };
  return html`
    <div class="countdown">
      <p role="timer" aria-live="off">
        ${dead ? texts.code.deadShort : seconds > 0 ? texts.code.validFor(formatCountdown(seconds)) : texts.code.expired}
      </p>
      <p class="visually-hidden" role="status">${seconds === 0 ? texts.code.expired : ''}</p>
      <${Button} kind=${dead || seconds === 0 ? 'secondary' : 'link'} busy=${busy} onClick=${resend}>${texts.code.resend}<//>
    </div>
  `;
}
