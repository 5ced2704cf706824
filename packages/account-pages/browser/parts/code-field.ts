import { useRef } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Field } from './field.ts';

/** Finds a code in pasted text, such as `123 456` or a sentence of the mail. */
const codeIn = (text: string): string | undefined =>
  /(?<!\d)\d{3}[\s-]?\d{3}(?!\d)/.exec(text)?.[0].replace(/\D/g, '');

/** Six digits, filled in from a mail or message by the browser, pasted with whatever is around them, or typed. */
export function CodeField({ name = 'otp', onComplete }: { name?: string; onComplete?: () => void }) {
  const completed = useRef('');
  const complete = (input: HTMLInputElement) => {
    if (input.value.length < 6 || input.value === completed.current) return;
    completed.current = input.value;
    if (onComplete) onComplete();
    else input.form?.requestSubmit();
  };
  return html`
    <${Field}
      name=${name}
      label=${texts.fields.code}
      class="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      pattern="[0-9]{6}"
      spellcheck=${false}
      autofocus
      onInput=${(event: InputEvent) => {
        const input = event.currentTarget as HTMLInputElement;
        input.value = input.value.replace(/\D/g, '').slice(0, 6);
        complete(input);
      }}
      onPaste=${(event: ClipboardEvent) => {
        const code = codeIn(event.clipboardData?.getData('text') ?? '');
        if (code === undefined) return;
        event.preventDefault();
        const input = event.currentTarget as HTMLInputElement;
        input.value = code;
        complete(input);
      }}
    />
  `;
}
