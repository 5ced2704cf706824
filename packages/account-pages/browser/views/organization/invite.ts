import type { Role } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { texts } from '../../organization-texts.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Field } from '../../parts/field.ts';
import { Form } from '../../parts/form.ts';
import type { Result } from '../../parts/result.ts';
import { RoleSelect } from '../../parts/role-select.ts';
import { Select } from '../../parts/select.ts';
import { changeAndReload } from '../../parts/use-data.ts';
import { aboutUserId, UserIdField } from '../../parts/user-id.ts';
import { invite, type Place, setMember } from './calls.ts';

const words = texts.invitations;

/** Invites somebody to a department, by their address or by the ID of their account. */
export function InviteDialog({
  place,
  grantable,
  reload,
  result,
  onClose,
}: {
  place: Place;
  /** The roles that the reader may grant. */
  grantable: readonly Role[];
  reload: () => Promise<void>;
  result: Result;
  onClose: () => void;
}) {
  const [by, setBy] = useState('email');
  const submit = async ({ email = '', user_id = '', role = '' }: Record<string, string>) => {
    const address = email.trim();
    const id = user_id.trim();
    const answer = await changeAndReload(reload, async () =>
      by === 'email' ? invite(place, address, role as Role) : aboutUserId(setMember(place, id, role as Role)),
    );
    onClose();
    const isInvited = 'invitation_id' in answer && answer.status !== 'accepted';
    result.succeed(isInvited ? words.sent(address || id) : words.added(address || id));
  };
  return html`
    <${Dialog} title=${words.invite} onClose=${onClose}>
      <${Form} submit=${words.send} onSubmit=${submit}>
        <${Select}
          name="by"
          label=${words.by}
          value=${by}
          onChange=${setBy}
          options=${[['email', words.byEmail], ['user_id', words.byUserId]]}
        />
        ${
          by === 'email'
            ? html`<${Field} key="email" name="email" type="email" label=${texts.fields.email} hint=${words.hint} autocomplete="off" autofocus />`
            : html`<${UserIdField} key="user_id" />`
        }
        <${RoleSelect} roles=${grantable} value="Viewer" />
      <//>
    <//>
  `;
}
