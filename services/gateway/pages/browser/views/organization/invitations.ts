import { can, grantableBy, isAbove, type Role } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { formatDate, texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Address } from '../../parts/address.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { Pager } from '../../parts/pager.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { type Invitation, invite, listInvitations, type Place, withdrawInvitation } from './calls.ts';
import { InviteDialog } from './invite.ts';

const words = texts.invitations;

/** Invitations from which a search field helps. */
const MANY = 10;

/** The pending invitations of a department. */
export function Invitations({ place, role, result }: { place: Place; role: Role; result: Result }) {
  const query = useListQuery({ sort: ['granted_at-desc'] });
  const loaded = useData(`${place.department_id} ${query.api}`, () => listInvitations(place, query.api));
  const [isInviting, setInviting] = useState(false);
  const [withdrawing, setWithdrawing] = useState<Invitation>();
  const grantable = can(role, 'add users') ? grantableBy(role) : [];
  const mayChange = (invitation: Invitation) => grantable.length > 0 && !isAbove(invitation.role, role);

  const sendTo = async (email: string, granted: Role) => {
    const { status } = await changeAndReload(loaded.reload, () => invite(place, email, granted));
    return status === 'accepted' ? words.added(email) : words.sent(email);
  };
  const withdraw = async ({ invitation_id, email }: Invitation) => {
    await changeAndReload(loaded.reload, () => withdrawInvitation(place, invitation_id));
    result.succeed(words.withdrawn(email));
  };
  const columns: Column<Invitation>[] = [
    { title: texts.fields.email, cell: ({ email }) => html`<${Address} email=${email} />` },
    { title: texts.access.role, cell: (invitation) => texts.roles[invitation.role] },
    {
      title: words.expires,
      cell: ({ expires_at }) => expires_at && formatDate(expires_at),
      end: grantable.length === 0,
    },
  ];
  if (grantable.length > 0)
    columns.push({
      title: texts.lists.actions,
      end: true,
      cell: (invitation) =>
        mayChange(invitation) &&
        html`
          <div class="row-actions">
            <${ActionButton} kind="plain" label=${`${words.sendAgain}: ${invitation.email}`} result=${result} run=${() => sendTo(invitation.email, invitation.role)}>
              ${words.sendAgain}
            <//>
            <${Button} kind="plain" label=${`${words.withdraw}: ${invitation.email}`} onClick=${() => setWithdrawing(invitation)}>${words.withdraw}<//>
          </div>
        `,
    });
  const add =
    grantable.length > 0 &&
    html`<${Button} kind="primary" onClick=${() => setInviting(true)}>${words.invite}<//>`;
  const isEmpty = loaded.data?.data.length === 0 && !query.isNarrowed;
  const showsSearch = query.isNarrowed || (loaded.data?.pagination.total_items ?? 0) > MANY;
  return html`
    <${Section} title=${words.title} actions=${!isEmpty && add}>
      ${showsSearch && html`<${Filters} query=${query} search=${words.search} choices=${[]} />`}
      <${Table}
        label=${words.title}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ invitation_id }: Invitation) => invitation_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<p>${words.none}</p>${add}`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    <//>
    ${
      isInviting &&
      html`<${InviteDialog} place=${place} grantable=${grantable} reload=${loaded.reload} result=${result} onClose=${() => setInviting(false)} />`
    }
    ${
      withdrawing &&
      html`
        <${Confirm}
          title=${words.withdrawTitle(withdrawing.email)}
          action=${words.withdraw}
          onConfirm=${() => withdraw(withdrawing)}
          onClose=${() => setWithdrawing(undefined)}
        >
          ${words.withdrawWarning}
        <//>
      `
    }
  `;
}
