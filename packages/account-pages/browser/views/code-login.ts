import { useState } from 'preact/hooks';
import { arrival } from '../arrival.ts';
import { html } from '../html.ts';
import { forgetLoginCode, sendLoginCode, sentLoginCode, signInWithCode } from '../login-code.ts';
import { ActionButton } from '../parts/action-button.ts';
import { Button } from '../parts/button.ts';
import { CodeField } from '../parts/code-field.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { useAutofocus } from '../parts/use-autofocus.ts';
import { useSignIn } from '../parts/use-sign-in.ts';
import { rememberEmail, rememberedEmail } from '../remembered-email.ts';
import { hasParameter } from '../router.ts';
import { texts } from '../visitor-texts.ts';

type Run = (signIn: Promise<void>) => Promise<void>;

/** Signs in with a mailed code, or by the link of the mail. */
export default function CodeLogin() {
  const { run, secondStep } = useSignIn({ onStartAgain: forgetLoginCode });
  const [sentTo, setSentTo] = useState(sentLoginCode()?.email);
  const forget = () => {
    forgetLoginCode();
    setSentTo(undefined);
  };
  const step =
    secondStep ??
    (arrival.loginCode
      ? html`<${ByLink} link=${arrival.loginCode} run=${run} />`
      : sentTo === undefined
        ? html`<${AddressForm} onSent=${setSentTo} />`
        : html`<${CodeForm} email=${sentTo} run=${run} onForget=${forget} />`);
  return html`
    <h1>${texts.titles['code-login']}</h1>
    ${step}
    ${!secondStep && html`<p class="below"><a href="/" data-page>${texts.sso.otherWay}</a></p>`}
  `;
}

/** The link of the mail. Nothing is called before the button is pressed, so that a scanner of links uses nothing up. */
function ByLink({ link, run }: { link: { email: string; code: string; token: string }; run: Run }) {
  return html`
    <p>${texts.codeLogin.byLink} <strong>${link.email}</strong></p>
    <${Form} submit=${texts.signIn.submit} onSubmit=${() => run(signInWithCode(link))} />
  `;
}

function AddressForm({ onSent }: { onSent: (email: string) => void }) {
  const submit = async ({ email: given = '' }: Record<string, string>) => {
    const email = given.trim();
    rememberEmail(email);
    await sendLoginCode(email);
    onSent(email);
  };
  const isKnown = hasParameter('start') && rememberedEmail() !== '';
  return html`
    <p>${texts.codeLogin.explanation}</p>
    <${Form} onSubmit=${submit} submit=${texts.forgot.submit} submitAtOnce=${isKnown}>
      <${Field} name="email" type="email" label=${texts.fields.email} value=${rememberedEmail()} autocomplete="username" autofocus />
    <//>
  `;
}

function CodeForm({ email, run, onForget }: { email: string; run: Run; onForget: () => void }) {
  const result = useResult();
  useAutofocus();
  const submit = ({ code = '' }: Record<string, string>) =>
    run(signInWithCode({ email, code, token: sentLoginCode()?.token }));
  const resend = async () => {
    await sendLoginCode(email);
    return texts.code.resent;
  };
  return html`
    <p>${texts.codeLogin.sentTo} <strong>${email}</strong></p>
    <${Form} onSubmit=${submit} submit=${texts.code.submit}><${CodeField} name="code" /><//>
    <div class="chosen">
      <${ActionButton} kind="link" run=${resend} result=${result}>${texts.code.resend}<//>
      <${Button} kind="link" onClick=${onForget}>${texts.codeLogin.otherAddress}<//>
    </div>
    <${ResultToast} result=${result} />
  `;
}
