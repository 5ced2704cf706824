import { html } from '../html.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Notice } from '../parts/notice.ts';
import { Password } from '../parts/password.ts';
import { rememberEmail, rememberedEmail } from '../remembered-email.ts';
import { hasParameter, navigate } from '../router.ts';
import { signUp } from '../sign-up-calls.ts';
import { texts } from '../visitor-texts.ts';

export default function SignUp() {
  const submit = async ({ email = '', password = '', name = '' }: Record<string, string>) => {
    rememberEmail(email);
    await signUp(email.trim(), password, name);
    navigate('/code');
  };
  return html`
    <h1>${texts.titles['sign-up']}</h1>
    ${hasParameter('unverified') && html`<${Notice} kind="info">${texts.signUp.unverified}<//>`}
    <${Form} onSubmit=${submit} submit=${texts.signUp.submit}>
      <${Field} name="name" label=${texts.fields.name} autocomplete="name" maxlength="200" autofocus />
      <${Field} name="email" type="email" label=${texts.fields.email} value=${rememberedEmail()} autocomplete="username" />
      <${Password} autocomplete="new-password" hint=${texts.signUp.passwordHint} />
    <//>
    <p class="below">${texts.signUp.haveAccount} <a href="/" data-page>${texts.titles['sign-in']}</a></p>
  `;
}
