import { useContext, useId } from 'preact/hooks';
import { html } from '../html.ts';
import { FieldErrors } from './field.ts';

/** A labeled text of several lines, with its error. */
export function TextArea({
  name,
  label,
  value,
  maxlength,
}: {
  name: string;
  label: string;
  value?: string | undefined;
  maxlength?: number;
}) {
  const id = useId();
  const error = useContext(FieldErrors)[name];
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
        aria-describedby=${error ? `${id}-error` : undefined}
      ></textarea>
      ${error && html`<p class="error" id="${id}-error">${error}</p>`}
    </div>
  `;
}
