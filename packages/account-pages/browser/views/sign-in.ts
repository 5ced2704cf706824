import { useState } from 'preact/hooks';
import { type HalfSignIn, halfSignInOf, showAccount, signIn } from '../account.ts';
import { ApiError } from '../api.ts';
import { html } from '../html.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Lazy } from '../parts/lazy.ts';
import { Notice } from '../parts/notice.ts';
import { Password } from '../parts/password.ts';
import { useLoginCaptcha } from '../parts/use-login-captcha.ts';
import { rememberEmail, rememberedEmail } from '../remembered-email.ts';
import { hasParameter, navigate } from '../router.ts';
import { texts } from '../texts.ts';

export default function SignIn() {
  const captcha = useLoginCaptcha();
  const [hasFailed, setFailed] = useState(false);
  const [refusal, setRefusal] = useState<ApiError>();
  const [half, setHalf] = useState<HalfSignIn>();
  const submit = async ({ email = '', password = '', recaptcha_token = '' }: Record<string, string>) => {
    rememberEmail(email);
    setRefusal(undefined);
    try {
      await signIn(email, password, recaptcha_token);
      showAccount();
    } catch (error) {
      captcha.renew(error, recaptcha_token);
      setHalf(halfSignInOf(error));
      if (halfSignInOf(error)) return;
      setFailed(true);
      if (error instanceof ApiError && error.code === 'SSO_REQUIRED') return setRefusal(error);
      const code = error instanceof ApiError ? error.code : '';
      if (code !== 'ACCOUNT_NOT_VERIFIED') throw error;
      navigate('/signup?unverified');
    }
  };
  if (half) {
    return html`
      <h1>${texts.titles['sign-in']}</h1>
      <${Lazy}
        load=${() => import('../parts/second-step.ts')}
        half=${half}
        onStartAgain=${() => setHalf(undefined)}
      />
    `;
  }
  const done = hasFailed ? undefined : (['verified', 'reset'] as const).find(hasParameter);
  return html`
    <h1>${texts.titles['sign-in']}</h1>
    ${done && html`<${Notice} kind="success">${texts.signIn.done[done]}<//>`}
    ${
      refusal &&
      html`
        <${Notice} kind="error">${refusal.message}<//>
        <a class="button primary" href="/sso?start" data-page>${texts.signIn.toSso}</a>
      `
    }
    <${Form} onSubmit=${submit} submit=${texts.signIn.submit}>
      <${Field}
        name="email"
        type="email"
        label=${texts.fields.email}
        value=${rememberedEmail()}
        autocomplete="username"
        autofocus=${!rememberedEmail()}
      />
      <${Password} autocomplete="current-password" autofocus=${Boolean(rememberedEmail())} />
      <p class="aside"><a href="/forgot" data-page>${texts.signIn.forgot}</a></p>
      ${captcha.widget}
    <//>
    ${
      !refusal &&
      html`
        <p class="or"><span>${texts.signIn.or}</span></p>
        <a class="button secondary" href="/sso" data-page>${texts.signIn.sso}</a>
      `
    }
    <p class="below">${texts.signIn.noAccount} <a href="/signup" data-page>${texts.titles['sign-up']}</a></p>
  `;
}
