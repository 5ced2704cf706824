import { useState } from 'preact/hooks';
import { sendAnotherCode, verify } from '../account.ts';
import { html } from '../html.ts';
import { CodeField } from '../parts/code-field.ts';
import { Countdown } from '../parts/countdown.ts';
import { Form } from '../parts/form.ts';
import { Notice } from '../parts/notice.ts';
import { pendingCode } from '../pending.ts';
import { navigate } from '../router.ts';
import { texts } from '../texts.ts';

export default function Code() {
  const [pending, setPending] = useState(pendingCode);
  const [notice, setNotice] = useState<{ kind: 'success' | 'error'; text: string }>();
  if (!pending) {
    return html`
      <h1>${texts.titles.code}</h1>
      <p>${texts.code.nothingPending}</p>
      <a class="button secondary" href="/" data-page>${texts.titles['sign-in']}</a>
    `;
  }
  const submit = async ({ otp = '' }: Record<string, string>) => {
    setNotice(undefined);
    navigate((await verify(pending, otp)) ? '/profile' : '/?verified', { replace: true });
  };
  const resend = async () => {
    try {
      await sendAnotherCode(pending);
      setPending(pendingCode());
      setNotice({ kind: 'success', text: texts.code.resent });
    } catch (error) {
      setNotice({ kind: 'error', text: (error as Error).message });
    }
  };
  return html`
    <h1>${texts.titles.code}</h1>
    <p>${texts.code.sentTo} <strong>${pending.email}</strong></p>
    ${notice && html`<${Notice} kind=${notice.kind}>${notice.text}<//>`}
    <${Form} onSubmit=${submit} submit=${texts.code.submit}>
      <${CodeField} />
    <//>
    <${Countdown} pending=${pending} onResend=${resend} />
    <p class="below"><a href="/signup" data-page>${texts.code.otherAddress}</a></p>
  `;
}
