import { useState } from 'preact/hooks';
import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { checkName, NameField } from '../../parts/confirm-name.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { Select } from '../../parts/select.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { archiveDepartment, type Department, listDepartments, type Place } from './calls.ts';
import { deletionDate } from './settings.ts';

const words = texts.archive;

/** Archives a department, and asks what becomes of its chatbots. */
export default function ArchiveDepartment({
  place,
  department,
  result,
  onChange,
}: {
  place: Place;
  department: Department;
  result: Result;
  onChange: () => Promise<void>;
}) {
  const [isAsking, setAsking] = useState(false);
  const others = useData(place.organization_id, async () => {
    const { data } = await listDepartments(place.organization_id, 'limit=100&sort_by=name&order=asc');
    return data.filter(
      ({ department_id, archived_at }) => department_id !== place.department_id && !archived_at,
    );
  });
  const targets = others.data ?? [];
  const archive = async ({ move_to, confirmation }: Record<string, string>) => {
    checkName(confirmation, department.name);
    const chatbots = move_to ? { chatbots: 'move' as const, move_to } : { chatbots: 'delete' as const };
    await changeAndReload(onChange, () => archiveDepartment(place, chatbots));
    setAsking(false);
    result.succeed(words.archived(department.name));
  };
  return html`
    <${Section} title=${words.archiveTitle} actions=${html`<${Button} onClick=${() => setAsking(true)}>${words.archive}<//>`}>
      <p class="muted">${words.archiveHint}</p>
    <//>
    ${
      isAsking &&
      html`
        <${Dialog} title=${words.archiveQuestion(department.name)} onClose=${() => setAsking(false)}>
          <p>${words.archiveWarning(deletionDate())}</p>
          <${Form} kind="danger" submit=${texts.actions.archiveDepartment} onSubmit=${archive}>
            <${Select}
              name="move_to"
              label=${words.chatbots}
              hint=${words.chatbotsHint}
              options=${[
                ['', words.deleteChatbots],
                ...targets.map(({ department_id, name }) => [department_id, words.moveTo(name)]),
              ]}
            />
            <${NameField} name=${department.name} />
          <//>
        <//>
      `
    }
  `;
}
