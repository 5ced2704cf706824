import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
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
import { listOwners, type Owner, offerOwnership, removeOwner } from './calls.ts';
import { Offers } from './offers.ts';
import type { OwnStanding } from './own-standing.ts';

const words = texts.owners;

/** The Owners of an organization. */
export default function Owners({
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
  const loaded = useData(organization_id, async () => {
    const { owners, offers = [] } = await listOwners(organization_id);
    return { data: owners, offers };
  });
  const { reload } = loaded;
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Owner>();
  const removal = ({ user_id }: Owner) => (user_id === own.id ? words.leave : words.remove);
  const nameOf = (id: string) => loaded.data?.data.find(({ user_id }) => user_id === id)?.name ?? id;
  const columns: Column<Owner>[] = [
    {
      title: texts.access.person,
      cell: (owner) => html`<${Person} person=${owner} isSelf=${owner.user_id === own.id} />`,
    },
    { title: words.addedBy, cell: ({ granted_by }) => nameOf(granted_by) },
    { title: texts.access.since, cell: ({ granted_at }) => formatDate(granted_at), end: !own.isOwner },
  ];
  if (own.isOwner)
    columns.push({
      title: texts.lists.actions,
      end: true,
      cell: (owner) =>
        html`<${Button} kind="plain" label=${`${removal(owner)}: ${personText(owner)}`} onClick=${() => setRemoving(owner)}>${removal(owner)}<//>`,
    });
  const offer = async ({ user_id = '', transfer }: Record<string, string>) => {
    const id = user_id.trim();
    const isTransfer = transfer === 'on';
    const answer = await changeAndReload(reload, () =>
      aboutUserId(offerOwnership(organization_id, id, isTransfer)),
    );
    setAdding(false);
    result.succeed('invitation_id' in answer ? words.offered(id) : words.already(id));
  };
  const remove = async (owner: Owner) => {
    const { user_id } = owner;
    if (user_id !== own.id) {
      await changeAndReload(reload, () => removeOwner(organization_id, user_id));
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
    ${own.isOwner && html`<${Offers} organization_id=${organization_id} loaded=${{ ...loaded, data: loaded.data && { data: loaded.data.offers } }} result=${result} />`}
    ${
      isAdding &&
      html`
        <${Dialog} title=${words.add} onClose=${() => setAdding(false)}>
          <p>${words.offerHint}</p>
          <${Form} submit=${words.offer} onSubmit=${offer}>
            <${UserIdField} />
            <label class="check"><input type="checkbox" name="transfer" /><span>${words.transfer}</span></label>
          <//>
        <//>
      `
    }
    ${
      removing &&
      html`
        <${Confirm}
          title=${removing.user_id === own.id ? words.leaveTitle : words.removeTitle(personText(removing))}
          action=${removing.user_id === own.id ? texts.actions.stepDown : texts.actions.removeOwner}
          onConfirm=${() => remove(removing)}
          onClose=${() => setRemoving(undefined)}
        >
          ${removing.user_id === own.id ? words.leaveWarning : words.removeWarning}
        <//>
      `
    }
  `;
}
