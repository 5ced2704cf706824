import { useState } from 'preact/hooks';
import { formatDate, texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { Person, personText } from '../../parts/person.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { aboutUserId, UserIdField } from '../../parts/user-id.ts';
import { addOwner, listOwners, type Owner, removeOwner } from './calls.ts';
import type { OwnStanding } from './own-role.ts';

const words = texts.owners;

/** The Owners of an organization. */
export function Owners({
  organization_id,
  own,
  result,
  onLeave,
}: {
  organization_id: string;
  own: OwnStanding;
  result: Result;
  /** Shows another page after the reader has stepped down. */
  onLeave: () => Promise<void>;
}) {
  const loaded = useData(organization_id, async () => ({ data: (await listOwners(organization_id)).owners }));
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Owner>();
  const removal = ({ user_id }: Owner) => (user_id === own.id ? words.leave : words.remove);
  const columns: Column<Owner>[] = [
    {
      title: texts.access.person,
      cell: (owner) => html`<${Person} person=${owner} isSelf=${owner.user_id === own.id} />`,
    },
    { title: words.addedBy, cell: ({ granted_by }) => granted_by },
    { title: texts.access.since, cell: ({ granted_at }) => formatDate(granted_at), end: !own.isOwner },
  ];
  if (own.isOwner)
    columns.push({
      title: texts.lists.actions,
      end: true,
      cell: (owner) =>
        html`<${Button} kind="plain" label=${`${removal(owner)}: ${personText(owner)}`} onClick=${() => setRemoving(owner)}>${removal(owner)}<//>`,
    });
  const add = async ({ user_id = '' }: Record<string, string>) => {
    await changeAndReload(loaded.reload, () => aboutUserId(addOwner(organization_id, user_id.trim())));
    setAdding(false);
    result.succeed(words.added(user_id.trim()));
  };
  const remove = async (owner: Owner) => {
    const { user_id } = owner;
    if (user_id !== own.id) {
      await changeAndReload(loaded.reload, () => removeOwner(organization_id, user_id));
      result.succeed(words.removed(personText(owner)));
      return;
    }
    await removeOwner(organization_id, user_id);
    result.succeed(words.left);
    await onLeave();
  };
  return html`
    <${Section} title=${words.title} actions=${own.isOwner && html`<${Button} kind="primary" onClick=${() => setAdding(true)}>${words.add}<//>`}>
      <p class="muted">${words.explanation}</p>
      <${Table} label=${words.title} loaded=${loaded} columns=${columns} keyOf=${({ user_id }: Owner) => user_id} empty="" />
    <//>
    ${
      isAdding &&
      html`
        <${Dialog} title=${words.add} onClose=${() => setAdding(false)}>
          <${Form} submit=${words.add} onSubmit=${add}>
            <${UserIdField} />
          <//>
        <//>
      `
    }
    ${
      removing &&
      html`
        <${Confirm}
          title=${removing.user_id === own.id ? words.leaveTitle : words.removeTitle(personText(removing))}
          action=${removal(removing)}
          onConfirm=${() => remove(removing)}
          onClose=${() => setRemoving(undefined)}
        >
          ${removing.user_id === own.id ? words.leaveWarning : words.removeWarning}
        <//>
      `
    }
  `;
}
