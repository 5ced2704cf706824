import { useState } from 'preact/hooks';
import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Field } from '../../parts/field.ts';
import { Select } from '../../parts/select.ts';

const words = texts.secret;

/** A generated secret, or the reader's own. */
export function SecretField() {
  const [kind, setKind] = useState('generated');
  return html`
    <${Select}
      name="kind"
      label=${words.label}
      hint=${words.hint}
      value=${kind}
      onChange=${setKind}
      options=${[['generated', words.generated], ['own', words.own]]}
    />
    ${
      kind === 'own' &&
      html`<${Field} name="secret" label=${words.yours} hint=${words.yoursHint} type="password" minlength="8" maxlength="256" autocomplete="off" />`
    }
  `;
}

/** Returns a new secret: 32 random bytes in the form that Standard Webhooks libraries read. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
