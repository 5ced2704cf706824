import { useState } from 'preact/hooks';
import { formatDateTime } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Pager } from '../../parts/pager.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { type Approval, decide, listApprovals } from '../calls.ts';
import { ChangeDialog } from '../parts/change-dialog.ts';
import { PersonLink } from '../parts/links.ts';
import { texts } from '../texts.ts';
import type { ViewProps } from '../view-props.ts';

const words = texts.approvals;

/** Acts that wait for a second operator, and what became of earlier ones. */
export default function Approvals({ operator, result }: ViewProps) {
  const query = useListQuery({});
  const loaded = useData(query.api, () => listApprovals(query.api));
  const [deciding, setDeciding] = useState<{ approval: Approval; verdict: 'approve' | 'reject' }>();
  const mayDecide = ({ status, requested_by }: Approval) =>
    operator.level === 'admin' && status === 'pending' && requested_by !== operator.user_id;
  const columns: Column<Approval>[] = [
    {
      title: words.act,
      cell: ({ act, person_id }) =>
        html`<div class="person"><span>${words.acts[act] ?? act}</span><${PersonLink} id=${person_id} /></div>`,
    },
    {
      title: words.requested,
      cell: ({ requested_by, requested_at }) =>
        html`<div class="person"><${PersonLink} id=${requested_by} /><small>${formatDateTime(requested_at)}</small></div>`,
    },
    { title: words.reason, cell: ({ reason }) => reason },
    {
      title: words.status,
      cell: ({ status, decision }) =>
        html`<div class="person"><${Badge}>${status}<//>${decision && html`<small>${decision}</small>`}</div>`,
    },
    {
      title: texts.actions,
      end: true,
      cell: (approval) =>
        mayDecide(approval) &&
        html`
          <div class="row-actions">
            <${Button} kind="plain" onClick=${() => setDeciding({ approval, verdict: 'approve' })}>${words.approve}<//>
            <${Button} kind="plain" onClick=${() => setDeciding({ approval, verdict: 'reject' })}>${words.reject}<//>
          </div>
        `,
    },
  ];
  return html`
    <${PageTitle}>${texts.titles.approvals}<//>
    <div class="section">
      <${Table}
        label=${texts.titles.approvals}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ approval_id }: Approval) => approval_id}
        empty=${html`<p>${words.empty}</p>`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
    ${
      deciding &&
      html`
        <${ChangeDialog}
          title=${deciding.verdict === 'approve' ? words.approveTitle : words.rejectTitle}
          action=${words[deciding.verdict]}
          isDestructive=${deciding.verdict === 'approve'}
          explanation=${`${words.acts[deciding.approval.act] ?? deciding.approval.act}: ${deciding.approval.person_id}. ${deciding.approval.reason}`}
          onClose=${() => setDeciding(undefined)}
          onSubmit=${async ({ reason = '' }: Record<string, string>) => {
            const { approval, verdict } = deciding;
            await changeAndReload(loaded.reload, () => decide(approval.approval_id, verdict, reason));
            result.succeed(verdict === 'approve' ? words.approved : words.rejected);
          }}
        />
      `
    }
  `;
}
