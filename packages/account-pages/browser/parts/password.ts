import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Field } from './field.ts';
import { PasswordStrength } from './password-strength.ts';

/** A password that can be shown. */
export function Password({
  autocomplete,
  label = texts.fields.password,
  name = 'password',
  hint,
  autofocus,
}: {
  autocomplete: 'current-password' | 'new-password';
  label?: string;
  name?: string;
  hint?: string;
  autofocus?: boolean;
}) {
  const [isShown, setShown] = useState(false);
  const [typed, setTyped] = useState('');
  const isNew = autocomplete === 'new-password';
  return html`
    <div class="password">
      <${Field} name=${name} label=${label} hint=${hint} type=${isShown ? 'text' : 'password'} autocomplete=${autocomplete} autofocus=${autofocus} onInput=${(event: Event) => isNew && setTyped((event.currentTarget as HTMLInputElement).value)} />
      <button type="button" class="show" aria-pressed=${isShown} onClick=${() => setShown(!isShown)}>
        ${isShown ? texts.fields.hide : texts.fields.show}
      </button>
      ${isNew && typed !== '' && html`<${PasswordStrength} password=${typed} />`}
    </div>
  `;
}
