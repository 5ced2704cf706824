import { html } from '../html.ts';
import { CodeField } from '../parts/code-field.ts';
import { Countdown } from '../parts/countdown.ts';
import { Form } from '../parts/form.ts';
import { Notice } from '../parts/notice.ts';
import { usePendingCode } from '../parts/use-pending-code.ts';
import { navigate } from '../router.ts';
import { showAccount } from '../sign-in-calls.ts';
import { sendAnotherCode, verify } from '../sign-up-calls.ts';
import { texts } from '../texts.ts';

export default function Code() {
  const { pending, notice, clearNotice, resend } = usePendingCode(sendAnotherCode);
  if (!pending) {
    return html`
      <h1>${texts.titles.code}</h1>
      <p>${texts.code.nothingPending}</p>
      <a class="button secondary" href="/" data-page>${texts.titles['sign-in']}</a>
    `;
  }
  const submit = async ({ otp = '' }: Record<string, string>) => {
    clearNotice();
    if (await verify(pending, otp)) showAccount();
    else navigate('/?verified', { replace: true });
  };
  return html`
    <h1>${texts.titles.code}</h1>
    <p>${texts.code.sentTo} <strong>${pending.email}</strong></p>
    ${notice && html`<${Notice} kind=${notice.kind}>${notice.text}<//>`}
    <${Form} onSubmit=${submit} submit=${texts.code.submit} version=${pending.sentAt}>
      <${CodeField} key=${pending.sentAt} />
    <//>
    <${Countdown} pending=${pending} onResend=${resend} />
    <p class="below"><a href="/signup" data-page>${texts.code.otherAddress}</a></p>
  `;
}
