import type { ComponentChildren } from 'preact';
import { html } from '../../html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Field } from '../../parts/field.ts';
import { Form } from '../../parts/form.ts';
import { texts } from '../texts.ts';

/** A change by an operator: explains it, and asks for the reason that the audit keeps. */
export const ChangeDialog = ({
  title,
  action,
  isDestructive = false,
  onSubmit,
  onClose,
  explanation,
  children,
}: {
  title: string;
  /** A verb with its object. */
  action: string;
  isDestructive?: boolean;
  /** Receives the fields, `reason` among them. The dialog closes unless it returns false. */
  onSubmit: (fields: Record<string, string>) => Promise<unknown>;
  onClose: () => void;
  explanation?: string;
  /** More fields. */
  children?: ComponentChildren;
}) => html`
  <${Dialog} title=${title} onClose=${onClose}>
    ${explanation && html`<p>${explanation}</p>`}
    <${Form}
      kind=${isDestructive ? 'danger' : 'primary'}
      submit=${action}
      onSubmit=${async (fields: Record<string, string>) => {
        if ((await onSubmit(fields)) !== false) onClose();
      }}
    >
      ${children}
      <${Field}
        name="reason"
        autofocus=${!children}
        label=${texts.reason.label}
        hint=${texts.reason.hint}
        minlength="3"
        maxlength="500"
        autocomplete="off"
      />
    <//>
  <//>
`;
