import { useState } from 'preact/hooks';
import { changeEmail } from '../../../account.ts';
import { html } from '../../../html.ts';
import { Button } from '../../../parts/button.ts';
import { CodeField } from '../../../parts/code-field.ts';
import { Dialog } from '../../../parts/dialog.ts';
import { Field } from '../../../parts/field.ts';
import { Form } from '../../../parts/form.ts';
import type { Result } from '../../../parts/result.ts';
import { Section } from '../../../parts/section.ts';
import { texts } from '../../../security-texts.ts';
import { requestEmail } from './calls.ts';

const { email: words } = texts.security;

/** Changes the address with which the person signs in, by a code that is mailed to the new one. */
export function EmailSection({
  email,
  onChanged,
  result,
}: {
  email: string;
  onChanged: () => Promise<void>;
  result: Result;
}) {
  const [isChanging, setChanging] = useState(false);
  const [requested, setRequested] = useState<string>();
  const close = () => {
    setChanging(false);
    setRequested(undefined);
  };
  const request = async ({ email: address = '' }: Record<string, string>) => {
    await requestEmail(address);
    setRequested(address);
  };
  const verify = async ({ code = '' }: Record<string, string>) => {
    await changeEmail(code);
    close();
    await onChanged();
    result.succeed(words.changed);
  };
  return html`
    <${Section}
      title=${texts.fields.email}
      actions=${html`<${Button} onClick=${() => setChanging(true)}>${words.change}<//>`}
    >
      <p><strong>${email}</strong></p>
      ${
        isChanging &&
        html`
          <${Dialog} title=${words.change} onClose=${close}>
            ${
              requested === undefined
                ? html`
                  <p>${words.explanation}</p>
                  <${Form} key="request" submit=${words.sendCode} onSubmit=${request}>
                    <${Field}
                      name="email"
                      type="email"
                      label=${words.newAddress}
                      autocomplete="email"
                      autofocus
                    />
                  <//>
                `
                : html`
                  <p>${texts.code.sentTo} <strong>${requested}</strong></p>
                  <${Form} key="verify" submit=${words.change} onSubmit=${verify}>
                    <${CodeField} name="code" />
                  <//>
                `
            }
          <//>
        `
      }
    <//>
  `;
}
