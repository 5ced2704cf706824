import { useState } from 'preact/hooks';
import { html } from '../../../html.ts';
import { Button } from '../../../parts/button.ts';
import { Dialog } from '../../../parts/dialog.ts';
import { Form } from '../../../parts/form.ts';
import { Password } from '../../../parts/password.ts';
import type { Result } from '../../../parts/result.ts';
import { Section } from '../../../parts/section.ts';
import { texts } from '../../../security-texts.ts';
import { changePassword } from './calls.ts';

const { password } = texts.security;

/** Changes the password, or sets the first one of an account that a provider made. */
export function PasswordSection({ email, result }: { email: string; result: Result }) {
  const [isChanging, setChanging] = useState(false);
  const submit = async ({ new_password = '' }: Record<string, string>) => {
    await changePassword(new_password);
    setChanging(false);
    result.succeed(password.changed);
  };
  return html`
    <${Section}
      title=${texts.fields.password}
      actions=${html`<${Button} onClick=${() => setChanging(true)}>${password.change}<//>`}
    >
      <p class="hint">${password.hint}</p>
      ${
        isChanging &&
        html`
          <${Dialog} title=${password.change} onClose=${() => setChanging(false)}>
            <p>${password.explanation}</p>
            <${Form} submit=${password.change} onSubmit=${submit}>
              <input type="text" hidden autocomplete="username" value=${email} readonly />
              <${Password}
                name="new_password"
                label=${texts.fields.newPassword}
                hint=${texts.signUp.passwordHint}
                autocomplete="new-password"
                autofocus
              />
            <//>
          <//>
        `
      }
    <//>
  `;
}
