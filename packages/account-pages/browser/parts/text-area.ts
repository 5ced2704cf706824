import { useContext, useId } from 'preact/hooks';
import { html } from '../html.ts';
import { FieldErrors } from './field.ts';

/** A labeled text of several lines, with its hint and its error. */
export function TextArea({
  name,
  label,
  hint,
  value,
  maxlength,
}: {
  name: string;
  label: string;
  hint?: string;
  value?: string | undefined;
  maxlength?: number;
}) {
  const id = useId();
  const error = useContext(FieldErrors)[name];
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <textarea
        id=${id}
        name=${name}
        rows="2"
        maxlength=${maxlength}
        defaultValue=${value}
        aria-invalid=${error ? true : undefined}
        aria-describedby=${described || undefined}
      ></textarea>
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
      ${error && html`<p class="error" id="${id}-error">${error}</p>`}
    </div>
  `;
}
