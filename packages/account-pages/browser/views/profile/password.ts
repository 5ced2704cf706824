import { useState } from 'preact/hooks';
import { requestCode } from '../../account.ts';
import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { Section } from '../../parts/section.ts';
import { navigate } from '../../router.ts';

/** Leads to a new password, by way of a mailed code. */
export function PasswordSection({ email }: { email: string }) {
  const [isAsking, setAsking] = useState(false);
  const send = async () => {
    await requestCode(email);
    navigate('/reset');
  };
  return html`
    <${Section}
      title=${texts.profile.password}
      actions=${html`<${Button} onClick=${() => setAsking(true)}>${texts.profile.changePassword}<//>`}
    >
      <p class="hint">${texts.profile.passwordHint}</p>
      ${
        isAsking &&
        html`
          <${Dialog} title=${texts.profile.changePassword} onClose=${() => setAsking(false)}>
            <p>${texts.profile.passwordExplanation(email)}</p>
            <${Form} submit=${texts.profile.sendCode} onSubmit=${send} />
          <//>
        `
      }
    <//>
  `;
}
