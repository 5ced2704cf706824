import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';
import { Dialog } from './dialog.ts';
import { Form } from './form.ts';

/** Asks before something that cannot be undone. */
export const Confirm = ({
  title,
  action,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  action: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
  children?: ComponentChildren;
}) => html`
  <${Dialog} title=${title} onClose=${onClose}>
    <p>${children}</p>
    <${Form} kind="danger" submit=${action} onSubmit=${async () => {
      await onConfirm();
      onClose();
    }} />
  <//>
`;
