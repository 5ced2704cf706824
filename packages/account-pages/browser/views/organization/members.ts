import { can, grantableBy, isAbove, ROLES, type Role } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Dialog } from '../../parts/dialog.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { Form } from '../../parts/form.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { Pager } from '../../parts/pager.ts';
import { Person, personText } from '../../parts/person.ts';
import type { Result } from '../../parts/result.ts';
import { RoleSelect } from '../../parts/role-select.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { withQuery } from '../../router.ts';
import { listMembers, type Member, type Place, removeMember, setMember } from './calls.ts';
import { InviteDialog } from './invite.ts';
import type { OwnStanding } from './own-standing.ts';

const words = texts.members;
const SORTS = ['granted_at-desc', 'granted_at-asc', 'email-asc', 'role-asc'] as const;
const CHOICES = [
  {
    name: 'role',
    label: texts.access.role,
    options: [['', words.allRoles] as const, ...ROLES.map((role) => [role, texts.roles[role]] as const)],
  },
  { name: 'sort', label: texts.lists.sort, options: SORTS.map((sort) => [sort, words.sorts[sort]] as const) },
];

/** The members of a department and their roles. */
export function Members({
  place,
  own,
  role,
  result,
  onChange,
  onLeave,
}: {
  place: Place;
  own: OwnStanding;
  role: Role;
  result: Result;
  /** Loads the department and the reader's role again. */
  onChange: () => Promise<void>;
  /** Shows another page after the reader has left the department. */
  onLeave: () => Promise<void>;
}) {
  const query = useListQuery({ role: ROLES, sort: SORTS });
  const loaded = useData(`${place.department_id} ${query.api}`, () => listMembers(place, query.api));
  const [changing, setChanging] = useState<Member>();
  const [removing, setRemoving] = useState<Member>();
  const [isInviting, setInviting] = useState(false);
  const reload = async () => void (await Promise.all([loaded.reload(), onChange()]));
  const grantable = grantableBy(role);
  const isSelf = ({ user_id }: Member) => user_id === own.id;
  const removal = (member: Member) => (isSelf(member) ? words.leave : words.remove);
  const columns: Column<Member>[] = [
    {
      title: texts.access.person,
      cell: (member) =>
        html`<${Person} person=${member} isSelf=${isSelf(member)} href=${withQuery({ department: undefined, part: undefined, person: member.user_id })} />`,
    },
    { title: texts.access.role, cell: (member) => texts.roles[member.role] },
    { title: texts.access.since, cell: ({ granted_at }) => formatDate(granted_at) },
    {
      title: texts.lists.actions,
      end: true,
      cell: (member) => html`
        <div class="row-actions">
          ${
            grantable.length > 0 &&
            !isAbove(member.role, role) &&
            html`<${Button} kind="plain" label=${`${texts.access.change}: ${personText(member)}`} onClick=${() => setChanging(member)}>${texts.access.change}<//>`
          }
          ${
            (isSelf(member) || (can(role, 'remove users') && !isAbove(member.role, role))) &&
            html`<${Button} kind="plain" label=${`${removal(member)}: ${personText(member)}`} onClick=${() => setRemoving(member)}>${removal(member)}<//>`
          }
        </div>
      `,
    },
  ];
  const change = async (fields: Record<string, string>) => {
    const member = changing as Member;
    const granted = fields.role as Role;
    await changeAndReload(reload, () => setMember(place, member.user_id, granted));
    setChanging(undefined);
    result.succeed(texts.access.granted(personText(member), texts.roles[granted]));
  };
  const remove = async (member: Member) => {
    if (!isSelf(member)) {
      await changeAndReload(reload, () => removeMember(place, member.user_id));
      result.succeed(texts.access.removed(personText(member)));
      return;
    }
    await removeMember(place, member.user_id);
    result.succeed(words.left);
    await onLeave();
  };
  const add =
    can(role, 'add users') &&
    html`<${Button} kind="primary" onClick=${() => setInviting(true)}>${texts.invitations.invite}<//>`;
  return html`
    <${Section} title=${words.title} actions=${add}>
      <${Filters} query=${query} search=${words.search} choices=${CHOICES} />
      <${Table}
        label=${words.title}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ user_id }: Member) => user_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<p>${words.none}</p>`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    <//>
    ${
      isInviting &&
      html`<${InviteDialog} place=${place} grantable=${grantable} reload=${reload} result=${result} onClose=${() => setInviting(false)} />`
    }
    ${
      changing &&
      html`
        <${Dialog} title=${texts.access.changeTitle(personText(changing))} onClose=${() => setChanging(undefined)}>
          <${Form} submit=${texts.actions.saveRole} onSubmit=${change}>
            <${RoleSelect} roles=${grantable} value=${changing.role} />
          <//>
        <//>
      `
    }
    ${
      removing &&
      html`
        <${Confirm}
          title=${isSelf(removing) ? words.leaveTitle : words.removeTitle(personText(removing))}
          action=${isSelf(removing) ? texts.actions.leaveDepartment : texts.actions.removeMember}
          onConfirm=${() => remove(removing)}
          onClose=${() => setRemoving(undefined)}
        >
          ${isSelf(removing) ? words.leaveWarning : words.removeWarning}
        <//>
      `
    }
  `;
}
