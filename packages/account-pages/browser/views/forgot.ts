import { html } from '../html.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { rememberEmail, rememberedEmail } from '../remembered-email.ts';
import { navigate } from '../router.ts';
import { requestCode } from '../sign-up-calls.ts';
import { texts } from '../visitor-texts.ts';

export default function Forgot() {
  const submit = async ({ email = '' }: Record<string, string>) => {
    rememberEmail(email);
    await requestCode(email.trim());
    navigate('/reset');
  };
  return html`
    <h1>${texts.titles.forgot}</h1>
    <p>${texts.forgot.explanation}</p>
    <${Form} onSubmit=${submit} submit=${texts.forgot.submit}>
      <${Field} name="email" type="email" label=${texts.fields.email} value=${rememberedEmail()} autocomplete="username" autofocus />
    <//>
    <p class="below"><a href="/" data-page>${texts.forgot.back}</a></p>
  `;
}
