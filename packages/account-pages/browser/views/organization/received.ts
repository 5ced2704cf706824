import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
import type { Received } from '../../own-roles.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Notice } from '../../parts/notice.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { changeAndReload } from '../../parts/use-data.ts';
import { navigate, useQuery, withQuery } from '../../router.ts';
import { acceptInvitation, declineInvitation } from './calls.ts';

const words = texts.received;

/** The invitations to the reader, which they accept or decline; nothing if there are none. */
export function ReceivedInvitations({
  invitations,
  reload,
  result,
  onAccepted,
}: {
  invitations: Received[];
  reload: () => Promise<void>;
  result: Result;
  /** Shows the organization that the reader has joined. */
  onAccepted: (organization: string) => void;
}) {
  const [declining, setDeclining] = useState<Received>();
  const opened = useQuery().get('invitation');
  const isUsed = opened !== null && !invitations.some(({ invitation_id }) => invitation_id === opened);
  if (invitations.length === 0) return isUsed && html`<${Notice} kind="info">${words.used}<//>`;
  const accept = async ({ invitation_id, organization_id, organization_name }: Received) => {
    await changeAndReload(reload, () => acceptInvitation(invitation_id));
    onAccepted(organization_id);
    return words.accepted(organization_name);
  };
  const decline = async ({ invitation_id, organization_name }: Received) => {
    await changeAndReload(reload, () => declineInvitation(invitation_id));
    navigate(withQuery({ invitation: undefined }), { replace: true });
    result.succeed(words.declined(organization_name));
  };
  return html`
    ${isUsed && html`<${Notice} kind="info">${words.used}<//>`}
    <${Section} title=${words.title}>
      <ul class="cards" aria-label=${words.title}>
        ${invitations.map(
          (invitation) => html`
            <li key=${invitation.invitation_id}>
              <p>
                <strong>${placeOf(invitation)}</strong>
                <small>${textOf(invitation)}</small>
                <small>${words.validUntil(formatDate(invitation.expires_at))}</small>
              </p>
              <div class="actions">
                <${ActionButton} kind="primary" run=${() => accept(invitation)} result=${result} label=${`${words.accept}: ${placeOf(invitation)}`}>${words.accept}<//>
                <${Button} label=${`${words.decline}: ${placeOf(invitation)}`} onClick=${() => setDeclining(invitation)}>${words.decline}<//>
              </div>
            </li>
          `,
        )}
      </ul>
    <//>
    ${
      declining &&
      html`
        <${Confirm}
          title=${words.declineTitle(placeOf(declining))}
          action=${texts.actions.declineInvitation}
          onConfirm=${() => decline(declining)}
          onClose=${() => setDeclining(undefined)}
        >
          ${words.declineWarning}
        <//>
      `
    }
  `;
}

const placeOf = ({ organization_name, department_name }: Received) =>
  [organization_name, department_name].filter(Boolean).join(' / ');

function textOf({ granted_by_name, granted_by, role, department_id, transfer }: Received): string {
  const inviter = granted_by_name ?? granted_by;
  if (transfer) return words.transfer(inviter);
  return department_id === null ? words.offer(inviter) : words.invited(inviter, texts.roles[role]);
}
