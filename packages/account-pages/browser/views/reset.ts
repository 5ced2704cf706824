import { html } from '../html.ts';
import { CodeField } from '../parts/code-field.ts';
import { Countdown } from '../parts/countdown.ts';
import { Form } from '../parts/form.ts';
import { Notice } from '../parts/notice.ts';
import { Password } from '../parts/password.ts';
import { usePendingCode } from '../parts/use-pending-code.ts';
import { navigate } from '../router.ts';
import { requestCode, resetPassword } from '../sign-up-calls.ts';
import { texts } from '../visitor-texts.ts';

export default function Reset() {
  const { pending, notice, resend } = usePendingCode(({ email }) => requestCode(email));
  if (!pending) {
    return html`
      <h1>${texts.titles.reset}</h1>
      <p>${texts.code.nothingPending}</p>
      <a class="button secondary" href="/forgot" data-page>${texts.titles.forgot}</a>
    `;
  }
  const submit = async ({ otp = '', new_password = '' }: Record<string, string>) => {
    await resetPassword(pending, otp, new_password);
    navigate('/?reset', { replace: true });
  };
  return html`
    <h1>${texts.titles.reset}</h1>
    <p>${texts.code.sentTo} <strong>${pending.email}</strong></p>
    ${notice && html`<${Notice} kind=${notice.kind}>${notice.text}<//>`}
    <${Form} onSubmit=${submit} submit=${texts.reset.submit} version=${pending.sentAt}>
      <input type="text" hidden autocomplete="username" value=${pending.email} readonly />
      <${CodeField} key=${pending.sentAt} onComplete=${() => document.querySelector<HTMLElement>('[name=new_password]')?.focus()} />
      <${Password} name="new_password" label=${texts.fields.newPassword} autocomplete="new-password" />
    <//>
    <${Countdown} pending=${pending} onResend=${resend} />
  `;
}
