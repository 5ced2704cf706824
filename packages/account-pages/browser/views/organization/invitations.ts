import { can, grantableBy, isAbove, type Role } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
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
import {
  type Invitation,
  listInvitations,
  type Place,
  resendInvitation,
  withdrawInvitation,
} from './calls.ts';
import { InviteDialog } from './invite.ts';
import type { OwnStanding } from './own-standing.ts';

const words = texts.invitations;

const STATUSES = ['declined', 'expired'] as const;

const nameOf = ({ email, user_id }: Invitation): string => email ?? user_id ?? '';

/** Invitations from which a search field helps. */
const MANY = 10;

/** The invitations to a department that have not been accepted. */
export function Invitations({
  place,
  own,
  role,
  result,
}: {
  place: Place;
  own: OwnStanding;
  role: Role;
  result: Result;
}) {
  const query = useListQuery({ status: STATUSES, granted_by: [own.id], sort: ['granted_at-desc'] });
  const loaded = useData(`${place.department_id} ${query.api}`, () => listInvitations(place, query.api));
  const [isInviting, setInviting] = useState(false);
  const [withdrawing, setWithdrawing] = useState<Invitation>();
  const grantable = can(role, 'add users') ? grantableBy(role) : [];
  const mayChange = (invitation: Invitation) => grantable.length > 0 && !isAbove(invitation.role, role);

  const resend = async (invitation: Invitation) => {
    await changeAndReload(loaded.reload, () => resendInvitation(place, invitation.invitation_id));
    return words.sent(nameOf(invitation));
  };
  const withdraw = async (invitation: Invitation) => {
    await changeAndReload(loaded.reload, () => withdrawInvitation(place, invitation.invitation_id));
    result.succeed(words.withdrawn(nameOf(invitation)));
  };
  const columns: Column<Invitation>[] = [
    {
      title: texts.access.person,
      cell: ({ email, user_id }) => (email === null ? user_id : html`<${Address} email=${email} />`),
    },
    { title: texts.access.role, cell: (invitation) => texts.roles[invitation.role] },
    { title: words.inviter, cell: ({ granted_by }) => (granted_by === own.id ? words.you : granted_by) },
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
            ${
              invitation.status !== 'declined' &&
              html`<${ActionButton} kind="plain" label=${`${words.sendAgain}: ${nameOf(invitation)}`} result=${result} run=${() => resend(invitation)}>${words.sendAgain}<//>`
            }
            <${Button} kind="plain" label=${`${words.withdraw}: ${nameOf(invitation)}`} onClick=${() => setWithdrawing(invitation)}>${words.withdraw}<//>
          </div>
        `,
    });
  const add =
    grantable.length > 0 &&
    html`<${Button} kind="primary" onClick=${() => setInviting(true)}>${words.invite}<//>`;
  const choices = [
    {
      name: 'status',
      label: words.status,
      options: [
        ['', words.statuses.pending],
        ...STATUSES.map((status) => [status, words.statuses[status]] as const),
      ] as const,
    },
    {
      name: 'granted_by',
      label: words.inviter,
      options: [
        ['', words.anybody],
        [own.id, words.you],
      ] as const,
    },
  ];
  const isEmpty = loaded.data?.data.length === 0 && !query.isNarrowed;
  const showsSearch = query.isNarrowed || (loaded.data?.pagination.total_items ?? 0) > MANY;
  return html`
    <${Section} title=${words.title} actions=${!isEmpty && add}>
      <${Filters} query=${query} search=${showsSearch ? words.search : undefined} choices=${choices} />
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
          title=${words.withdrawTitle(nameOf(withdrawing))}
          action=${texts.actions.withdrawInvitation}
          onConfirm=${() => withdraw(withdrawing)}
          onClose=${() => setWithdrawing(undefined)}
        >
          ${words.withdrawWarning}
        <//>
      `
    }
  `;
}
