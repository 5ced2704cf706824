import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { texts } from '../../organization-texts.ts';
import type { OwnDepartment } from '../../own-roles.ts';
import { Button } from '../../parts/button.ts';
import { checkName, NameField } from '../../parts/confirm-name.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { Select } from '../../parts/select.ts';
import { changeAndReload } from '../../parts/use-data.ts';
import { archiveDepartment, type Place } from './calls.ts';
import { deletionDate } from './settings.ts';

const words = texts.archive;

/** Archives a department, and asks what becomes of its chatbots. */
export default function ArchiveDepartment({
  place,
  department,
  others,
  result,
  onChange,
}: {
  place: Place;
  department: OwnDepartment;
  /** The other departments of the organization. */
  others: OwnDepartment[];
  result: Result;
  onChange: () => Promise<void>;
}) {
  const [isAsking, setAsking] = useState(false);
  const targets = others.filter(({ archived_at }) => archived_at === undefined);
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
