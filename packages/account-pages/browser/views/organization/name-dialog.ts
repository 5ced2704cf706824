import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Field } from '../../parts/field.ts';
import { Form } from '../../parts/form.ts';

/** Asks for the name of an organization or department. */
export const NameDialog = ({
  title,
  submit,
  name = '',
  onSubmit,
  onClose,
}: {
  title: string;
  submit: string;
  name?: string;
  onSubmit: (name: string) => Promise<void>;
  onClose: () => void;
}) => html`
  <${Dialog} title=${title} onClose=${onClose}>
    <${Form} submit=${submit} onSubmit=${(fields: Record<string, string>) => onSubmit((fields.name ?? '').trim())}>
      <${Field} name="name" label=${texts.fields.name} maxlength="200" autocomplete="off" defaultValue=${name} autofocus />
    <//>
  <//>
`;
