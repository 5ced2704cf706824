import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, type Loaded } from '../../parts/use-data.ts';
import { type Offer, resendOffer, withdrawOffer } from './calls.ts';

const words = texts.owners;

/** The offers to become an Owner that have not been accepted. */
export function Offers({
  organization_id,
  loaded,
  result,
}: {
  organization_id: string;
  loaded: Loaded<{ data: Offer[] }>;
  result: Result;
}) {
  const [withdrawing, setWithdrawing] = useState<Offer>();
  const resend = async ({ invitation_id, user_id }: Offer) => {
    await changeAndReload(loaded.reload, () => resendOffer(organization_id, invitation_id));
    return words.offered(user_id);
  };
  const withdraw = async ({ invitation_id, user_id }: Offer) => {
    await changeAndReload(loaded.reload, () => withdrawOffer(organization_id, invitation_id));
    result.succeed(words.withdrawn(user_id));
  };
  const columns: Column<Offer>[] = [
    {
      title: texts.access.person,
      cell: ({ user_id, transfer }) => html`
        <div class="person"><span>${user_id}</span>${transfer && html`<small>${words.transferNote}</small>`}</div>
      `,
    },
    {
      title: texts.invitations.status,
      cell: ({ status }) => html`<${Badge}>${texts.invitations.statuses[status]}<//>`,
    },
    { title: texts.invitations.expires, cell: ({ expires_at }) => formatDate(expires_at) },
    {
      title: texts.lists.actions,
      end: true,
      cell: (offer) => html`
        <div class="row-actions">
          ${
            offer.status !== 'declined' &&
            html`<${ActionButton} kind="plain" result=${result} run=${() => resend(offer)} label=${`${texts.invitations.sendAgain}: ${offer.user_id}`}>${texts.invitations.sendAgain}<//>`
          }
          <${Button} kind="plain" label=${`${texts.invitations.withdraw}: ${offer.user_id}`} onClick=${() => setWithdrawing(offer)}>${texts.invitations.withdraw}<//>
        </div>
      `,
    },
  ];
  if (!loaded.data || loaded.data.data.length === 0) return null;
  return html`
    <${Section} title=${words.offers}>
      <${Table} label=${words.offers} loaded=${loaded} columns=${columns} keyOf=${({ invitation_id }: Offer) => invitation_id} empty="" />
    <//>
    ${
      withdrawing &&
      html`
        <${Confirm}
          title=${words.withdrawTitle(withdrawing.user_id)}
          action=${texts.actions.withdrawOffer}
          onConfirm=${() => withdraw(withdrawing)}
          onClose=${() => setWithdrawing(undefined)}
        >
          ${words.withdrawWarning}
        <//>
      `
    }
  `;
}
