import { useContext, useId } from 'preact/hooks';
import { html } from '../html.ts';
import { FieldErrors } from './field.ts';

export type Options = readonly (readonly [value: string, text: string])[];

interface Props {
  name: string;
  label: string;
  options: Options;
  /** The value at first, or at any time if changes are handled. */
  value?: string | undefined;
  hint?: string | undefined;
  onChange?: (value: string) => void;
}

/** A labeled choice of one of several values, with its error. */
export function Select({ name, label, options, value, hint, onChange }: Props) {
  const id = useId();
  const error = useContext(FieldErrors)[name];
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <select
        id=${id}
        name=${name}
        aria-invalid=${error ? true : undefined}
        aria-describedby=${described || undefined}
        onChange=${(event: Event) => onChange?.((event.currentTarget as HTMLSelectElement).value)}
        ...${onChange ? { value } : {}}
      >
        ${options.map(([each, text]) => html`<option value=${each} selected=${each === value}>${text}</option>`)}
      </select>
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
      ${error && html`<p class="error" id="${id}-error">${error}</p>`}
    </div>
  `;
}
