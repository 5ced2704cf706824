import { createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { html } from '../html.ts';

/** The errors of the form around a field, by name. */
export const FieldErrors = createContext<Record<string, string>>({});

interface Props {
  name: string;
  label: string;
  hint?: string;
  type?: string;
  /** What the field holds at first. */
  value?: string;
  autocomplete?: string;
  required?: boolean;
  autofocus?: boolean;
  [attribute: string]: unknown;
}

/** A labeled input with its hint and its error. */
export function Field({ name, label, hint, type = 'text', required = true, value, ...attributes }: Props) {
  const id = useId();
  const error = useContext(FieldErrors)[name];
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input
        id=${id}
        name=${name}
        type=${type}
        required=${required}
        defaultValue=${value}
        aria-invalid=${error ? true : undefined}
        aria-describedby=${described || undefined}
        ...${attributes}
      />
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
      ${error && html`<p class="error" id="${id}-error">${error}</p>`}
    </div>
  `;
}
