import { useState } from 'preact/hooks';
import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { Select } from '../../parts/select.ts';
import { useData } from '../../parts/use-data.ts';
import { listDepartments, listOrganizations } from '../organization/calls.ts';
import { type Chatbot, createChatbot } from './calls.ts';
import { ChatbotInputs, chatbotFields } from './fields.ts';

const words = texts.chatbots;

/** Asks for a new chatbot: a personal one, or one of a department. */
export function CreateChatbot({
  onCreated,
  onClose,
}: {
  onCreated: (chatbot: Chatbot) => void;
  onClose: () => void;
}) {
  const [organization, setOrganization] = useState('');
  const organizations = useData('organizations', () => listOrganizations()).data?.data ?? [];
  const departments = useData(`departments of ${organization}`, async () =>
    organization ? (await listDepartments(organization, 'limit=100&sort_by=name&order=asc')).data : [],
  );
  const submit = async ({ department_id, ...fields }: Record<string, string>) => {
    const chatbot = await createChatbot({
      ...chatbotFields(fields),
      ...(department_id && { department_id }),
    });
    onClose();
    onCreated(chatbot);
  };
  return html`
    <${Dialog} title=${words.create} onClose=${onClose}>
      <${Form} submit=${words.create} onSubmit=${submit}>
        <${ChatbotInputs} />
        ${
          organizations.length > 0 &&
          html`
            <${Select}
              name="organization"
              label=${words.place}
              value=${organization}
              onChange=${setOrganization}
              options=${[['', words.personal], ...organizations.map(({ organization_id, name }) => [organization_id, name])]}
            />
          `
        }
        ${
          organization &&
          !departments.busy &&
          html`
            <${Select}
              key=${organization}
              name="department_id"
              label=${texts.organization.department}
              options=${departments.data?.map(({ department_id, name }) => [department_id, name]) ?? []}
              hint=${departments.error?.message ?? (departments.data?.length === 0 ? texts.organization.noDepartments : undefined)}
            />
          `
        }
      <//>
    <//>
  `;
}
