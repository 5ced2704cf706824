import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { CodeField } from './code-field.ts';
import { Field } from './field.ts';

/** The code of a second factor: six digits of the app or, for a lost device, a recovery code. */
export function FactorCode({ methods }: { methods: readonly string[] }) {
  const [isLost, setLost] = useState(false);
  const hasRecoveryCode = methods.includes('recovery_code');
  return html`
    ${
      isLost && hasRecoveryCode
        ? html`
          <${Field}
            key="recovery"
            name="code"
            label=${texts.factor.recoveryCode}
            hint=${texts.factor.recoveryHint}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck=${false}
            maxlength="40"
            autofocus
          />
        `
        : html`<${CodeField} key="app" name="code" />`
    }
    ${isLost && !hasRecoveryCode && html`<p class="hint">${texts.factor.noneLeft}</p>`}
    <p class="aside">
      <button type="button" class="button link" onClick=${() => setLost(!isLost)}>
        ${isLost && hasRecoveryCode ? texts.factor.found : texts.factor.lost}
      </button>
    </p>
  `;
}
