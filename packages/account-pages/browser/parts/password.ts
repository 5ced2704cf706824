import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Field } from './field.ts';

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
  return html`
    <div class="password">
      <${Field} name=${name} label=${label} hint=${hint} type=${isShown ? 'text' : 'password'} autocomplete=${autocomplete} autofocus=${autofocus} />
      <button type="button" class="show" aria-pressed=${isShown} onClick=${() => setShown(!isShown)}>
        ${isShown ? texts.fields.hide : texts.fields.show}
      </button>
    </div>
  `;
}
