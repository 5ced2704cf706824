import { html } from '../html.ts';
import { STRONGEST, strengthOf } from '../password-strength.ts';
import { texts } from '../texts.ts';
import { Meter } from './meter.ts';

/** Shows how strong a new password is. It is advice: no password is refused for it. */
export function PasswordStrength({ password }: { password: string }) {
  const strength = strengthOf(password);
  const text = texts.strength.levels[strength] ?? '';
  return html`
    <div class="strength" role="status">
      <${Meter} label=${texts.strength.label} used=${strength + 1} limit=${STRONGEST + 1} text=${text} calm />
      <p class="hint">${text}</p>
    </div>
  `;
}
