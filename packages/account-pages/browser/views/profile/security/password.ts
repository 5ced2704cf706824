import { useState } from 'preact/hooks';
import { html } from '../../../html.ts';
import { Button } from '../../../parts/button.ts';
import { Dialog } from '../../../parts/dialog.ts';
import { Form } from '../../../parts/form.ts';
import { Password } from '../../../parts/password.ts';
import type { Result } from '../../../parts/result.ts';
import { Section } from '../../../parts/section.ts';
import { texts } from '../../../security-texts.ts';
import { changePassword, type Factors } from './calls.ts';

const { password } = texts.security;

/** Changes the password, or sets the first one of an account that a provider made. */
export function PasswordSection({
  email,
  state: { set, allowed },
  onChanged,
  result,
}: {
  email: string;
  state: Factors['password'];
  onChanged: () => Promise<void>;
  result: Result;
}) {
  const [isChanging, setChanging] = useState(false);
  const action = set ? password.change : password.setFirst;
  const submit = async ({ new_password = '' }: Record<string, string>) => {
    await changePassword(new_password);
    setChanging(false);
    await onChanged();
    result.succeed(set ? password.changed : password.wasSet);
  };
  return html`
    <${Section}
      title=${texts.fields.password}
      actions=${allowed && html`<${Button} onClick=${() => setChanging(true)}>${action}<//>`}
    >
      <p class="hint">${allowed ? password.hint : password.notAllowed}</p>
      ${
        isChanging &&
        html`
          <${Dialog} title=${action} onClose=${() => setChanging(false)}>
            <p>${password.explanation}</p>
            <${Form} submit=${action} onSubmit=${submit}>
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
