import type { ComponentChildren } from 'preact';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Form } from '../../parts/form.ts';
import { Password } from '../../parts/password.ts';
import { useAutofocus } from '../../parts/use-autofocus.ts';
import { rememberedEmail } from '../../remembered-email.ts';
import { texts } from '../../visitor-texts.ts';
import { type Address, AddressField } from './address-form.ts';
import { MailedCode } from './other-ways.ts';
import { LastUsed } from './way.ts';

type Submit = (fields: Record<string, string>) => Promise<void>;

/** The address and the password at once. */
export const PasswordForm = ({ captcha, onSubmit }: { captcha: ComponentChildren; onSubmit: Submit }) => html`
  <${Form} onSubmit=${onSubmit} submit=${texts.signIn.submit}>
    <${AddressField} autofocus=${!rememberedEmail()} />
    <${PasswordField} autofocus=${Boolean(rememberedEmail())} />
    ${captcha}
  <//>
`;

/** The second of two steps: the provider of the address's domain, if it has one, and the password. */
export function PasswordStep({
  address: { email, connection },
  captcha,
  onSubmit,
  onChange,
}: {
  address: Address;
  captcha: ComponentChildren;
  onSubmit: Submit;
  onChange: () => void;
}) {
  useAutofocus();
  return html`
    <p class="chosen"><strong>${email}</strong><${Button} kind="link" onClick=${onChange}>${texts.signIn.change}<//></p>
    ${
      connection &&
      html`
        <a class="button primary" href="/sso?start" data-page>${texts.signIn.continueAt(connection.name)}</a>
        <p class="or"><span>${texts.signIn.or}</span></p>
      `
    }
    <${Form} kind=${connection ? 'secondary' : 'primary'} onSubmit=${onSubmit} submit=${texts.signIn.submit}>
      <input type="text" hidden autocomplete="username" value=${email} readonly />
      <${PasswordField} autofocus />
      ${captcha}
    <//>
    <${MailedCode} />
  `;
}

const PasswordField = ({ autofocus }: { autofocus: boolean }) => html`
  <div class="way-field">
    <${Password} autocomplete="current-password" autofocus=${autofocus} />
    <${LastUsed} way="password" />
  </div>
  <p class="aside"><a href="/forgot" data-page>${texts.signIn.forgot}</a></p>
`;
