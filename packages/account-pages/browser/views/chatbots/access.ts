import { grantableBy, isAbove, type Role } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { formatDate, texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { Person, personText } from '../../parts/person.ts';
import type { Result } from '../../parts/result.ts';
import { RoleSelect } from '../../parts/role-select.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, type Loaded } from '../../parts/use-data.ts';
import { aboutUserId, UserIdField } from '../../parts/user-id.ts';
import { navigate, withQuery } from '../../router.ts';
import { type Grant, grantAccess, type OwnAccess, revokeAccess } from './calls.ts';

const words = texts.access;

/** Who may use a chatbot. */
export function AccessList({
  id,
  own,
  loaded,
  result,
}: {
  id: string;
  own: OwnAccess;
  loaded: Loaded<{ data: Grant[] }>;
  result: Result;
}) {
  const [granting, setGranting] = useState<Grant | 'new'>();
  const [revoking, setRevoking] = useState<Grant>();
  const { reload } = loaded;
  const grantable = own.permissions.includes('assign roles') ? grantableBy(own.role) : [];
  const isBelow = ({ role }: Grant) => !isAbove(role, own.role);
  const mayRevoke = (grant: Grant) =>
    grant.user_id === own.user_id || (own.permissions.includes('remove users') && isBelow(grant));

  const columns: Column<Grant>[] = [
    {
      title: words.person,
      cell: (grant) => html`<${Person} person=${grant} isSelf=${grant.user_id === own.user_id} />`,
    },
    { title: words.role, cell: ({ role }) => texts.roles[role] },
    { title: words.since, cell: ({ granted_at }) => formatDate(granted_at) },
    {
      title: texts.lists.actions,
      end: true,
      cell: (grant) => html`
        <div class="row-actions">
          ${
            grantable.length > 0 &&
            isBelow(grant) &&
            html`<${Button} kind="plain" label=${`${words.change}: ${personText(grant)}`} onClick=${() => setGranting(grant)}>${words.change}<//>`
          }
          ${
            mayRevoke(grant) &&
            html`<${Button} kind="plain" label=${`${removal(grant)}: ${personText(grant)}`} onClick=${() => setRevoking(grant)}>${removal(grant)}<//>`
          }
        </div>
      `,
    },
  ];
  const removal = ({ user_id }: Grant) => (user_id === own.user_id ? words.leave : words.remove);
  const add = grantable.length > 0 && html`<${Button} onClick=${() => setGranting('new')}>${words.grant}<//>`;

  const grant = async ({ user_id = '', role = '' }: Record<string, string>) => {
    const user = granting === 'new' ? user_id.trim() : ((granting as Grant | undefined)?.user_id ?? '');
    const granted = await changeAndReload(reload, () => aboutUserId(grantAccess(id, user, role as Role)));
    setGranting(undefined);
    result.succeed(words.granted(personText(granted), texts.roles[granted.role]));
  };
  const revoke = async (grant: Grant) => {
    const { user_id } = grant;
    if (user_id !== own.user_id) {
      await changeAndReload(reload, () => revokeAccess(id, user_id));
      result.succeed(words.removed(personText(grant)));
      return;
    }
    await revokeAccess(id, user_id);
    result.succeed(words.left);
    navigate(withQuery({ chatbot: undefined }), { replace: true });
  };
  return html`
    <${Section} title=${words.title} actions=${add}>
      <p class="muted">${words.explanation}</p>
      <${Table} label=${words.title} loaded=${loaded} columns=${columns} keyOf=${({ user_id }: Grant) => user_id} empty="" />
    <//>
    ${
      granting &&
      html`
        <${Dialog} title=${granting === 'new' ? words.grant : words.changeTitle(personText(granting))} onClose=${() => setGranting(undefined)}>
          <${Form} submit=${granting === 'new' ? words.grant : texts.actions.saveRole} onSubmit=${grant}>
            ${granting === 'new' && html`<${UserIdField} />`}
            <${RoleSelect} roles=${grantable} value=${granting === 'new' ? 'Viewer' : granting.role} />
          <//>
        <//>
      `
    }
    ${
      revoking &&
      html`
        <${Confirm}
          title=${revoking.user_id === own.user_id ? words.leaveTitle : words.removeTitle(personText(revoking))}
          action=${revoking.user_id === own.user_id ? texts.actions.giveUpRole : texts.actions.removePerson}
          onConfirm=${() => revoke(revoking)}
          onClose=${() => setRevoking(undefined)}
        >
          ${revoking.user_id === own.user_id ? words.leaveWarning : words.removeWarning}
        <//>
      `
    }
  `;
}
