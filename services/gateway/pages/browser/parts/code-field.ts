import { useRef } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Field } from './field.ts';

/** Six digits, filled in from a mail or message by the browser, pasted with whatever is around them, or typed. */
export function CodeField({ onComplete }: { onComplete?: () => void }) {
  const completed = useRef('');
  return html`
    <${Field}
      name="otp"
      label=${texts.fields.code}
      class="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      pattern="[0-9]{6}"
      maxlength="12"
      spellcheck="false"
      autofocus
      onInput=${(event: InputEvent) => {
        const input = event.currentTarget as HTMLInputElement;
        input.value = input.value.replace(/\D/g, '').slice(0, 6);
        if (input.value.length < 6 || input.value === completed.current) return;
        completed.current = input.value;
        if (onComplete) onComplete();
        else input.form?.requestSubmit();
      }}
    />
  `;
}
