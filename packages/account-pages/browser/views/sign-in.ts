import { useState } from 'preact/hooks';
import { config } from '../config.ts';
import { ApiError } from '../gate.ts';
import { html } from '../html.ts';
import { Notice } from '../parts/notice.ts';
import { useLoginCaptcha } from '../parts/use-login-captcha.ts';
import { useSignIn } from '../parts/use-sign-in.ts';
import { rememberEmail } from '../remembered-email.ts';
import { hasParameter, navigate } from '../router.ts';
import { signIn } from '../sign-in-calls.ts';
import { texts } from '../visitor-texts.ts';
import { type Address, AddressForm } from './sign-in/address-form.ts';
import { MailedCode, OtherWays } from './sign-in/other-ways.ts';
import { PasswordForm, PasswordStep } from './sign-in/password-form.ts';
import { usePasskeyOffer } from './sign-in/use-passkey-offer.ts';

const isEmailFirst = config.ways.sign_in === 'email-first';

export default function SignIn() {
  const captcha = useLoginCaptcha();
  const { run, secondStep } = useSignIn();
  const [address, setAddress] = useState<Address>();
  const [busy, setBusy] = useState<'password' | 'passkey'>();
  const [hasFailed, setFailed] = useState(false);
  /** A refusal that is not about a field. */
  const [refusal, setRefusal] = useState<ApiError>();

  const attempt = async (way: 'password' | 'passkey', signingIn: Promise<void>) => {
    setBusy(way);
    setRefusal(undefined);
    try {
      await run(signingIn);
    } catch (error) {
      setFailed(true);
      const isRefusal = error instanceof ApiError && (way === 'passkey' || error.code === 'SSO_REQUIRED');
      if (!isRefusal) throw error;
      setRefusal(error);
    } finally {
      setBusy(undefined);
    }
  };
  const submit = async (fields: Record<string, string>) => {
    const { email = address?.email ?? '', password = '', recaptcha_token = '' } = fields;
    rememberEmail(email);
    const signingIn = signIn(email, password, recaptcha_token).catch((error) => {
      captcha.renew(error, recaptcha_token);
      throw error;
    });
    await attempt('password', signingIn).catch((error) => {
      if (error.code !== 'ACCOUNT_NOT_VERIFIED') throw error;
      navigate('/signup?unverified');
    });
  };
  const usePasskey = (signingIn: Promise<void>) => void attempt('passkey', signingIn);
  const askForPasskey = () =>
    usePasskey(import('../passkeys.ts').then(({ signInWithPasskey }) => signInWithPasskey()));
  // A passkey that the server has refused would be refused again.
  usePasskeyOffer(!busy && !secondStep && !address && !refusal?.status, usePasskey);

  if (secondStep) return html`<h1>${texts.titles['sign-in']}</h1>${secondStep}`;
  const done = hasFailed ? undefined : (['verified', 'reset'] as const).find(hasParameter);
  const password = { captcha: captcha.widget, onSubmit: submit };
  return html`
    <h1>${texts.titles['sign-in']}</h1>
    ${done && html`<${Notice} kind="success">${texts.signIn.done[done]}<//>`}
    ${
      refusal &&
      html`
        <${Notice} kind="error">${refusal.message}<//>
        ${refusal.code === 'SSO_REQUIRED' && html`<a class="button primary" href="/sso?start" data-page>${texts.signIn.toSso}</a>`}
      `
    }
    ${
      address
        ? html`<${PasswordStep} address=${address} ...${password} onChange=${() => setAddress(undefined)} />`
        : html`
          ${isEmailFirst ? html`<${AddressForm} onGiven=${setAddress} />` : html`<${PasswordForm} ...${password} />`}
          <${OtherWays} isAsking=${busy === 'passkey'} onPasskey=${askForPasskey}>
            ${!isEmailFirst && html`<${MailedCode} />`}
          <//>
        `
    }
    <p class="below">${texts.signIn.noAccount} <a href="/signup" data-page>${texts.titles['sign-up']}</a></p>
  `;
}
