import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';
import { checkName, NameField } from './confirm-name.ts';
import { Dialog } from './dialog.ts';
import { Form } from './form.ts';

/** Asks before something that cannot be undone. */
export const Confirm = ({
  title,
  action,
  name,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** A verb with its object, so that nobody takes it for the button that closes the dialog. */
  action: string;
  /** What has to be typed first, before something is destroyed. */
  name?: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
  children?: ComponentChildren;
}) => html`
  <${Dialog} title=${title} onClose=${onClose}>
    <p>${children}</p>
    <${Form} kind="danger" submit=${action} onSubmit=${async ({ confirmation }: Record<string, string>) => {
      if (name !== undefined) checkName(confirmation, name);
      await onConfirm();
      onClose();
    }}>
      ${name !== undefined && html`<${NameField} name=${name} />`}
    <//>
  <//>
`;
