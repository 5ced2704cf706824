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
import { endSupportSession, listSupportSessions, type SupportSession } from '../calls.ts';
import { ChangeDialog } from '../parts/change-dialog.ts';
import { PersonLink } from '../parts/links.ts';
import { texts } from '../texts.ts';
import type { ViewProps } from '../view-props.ts';

const words = texts.support;

/** The support sessions of all operators, also those that are over. */
export default function SupportSessions({ operator: self, result }: ViewProps) {
  const query = useListQuery({});
  const loaded = useData(query.api, () => listSupportSessions(query.api));
  const [ending, setEnding] = useState<SupportSession>();
  const columns: Column<SupportSession>[] = [
    { title: words.person, cell: ({ person_id }) => html`<${PersonLink} id=${person_id} />` },
    { title: words.operator, cell: ({ operator }) => html`<${PersonLink} id=${operator} />` },
    {
      title: words.mode,
      cell: ({ mode, live }) =>
        html`${words.modes[mode]} <${Badge} tone=${live ? 'bad' : 'quiet'}>${live ? words.live : words.over}<//>`,
    },
    { title: words.reason, cell: ({ reason }) => reason },
    {
      title: words.began,
      cell: ({ began_at, expires_at }) =>
        html`<div class="person"><span>${formatDateTime(began_at)}</span><small>${words.until} ${formatDateTime(expires_at)}</small></div>`,
    },
    {
      title: texts.actions,
      end: true,
      cell: (session) =>
        session.live &&
        (session.operator === self.user_id || self.level === 'admin') &&
        html`<${Button} kind="plain" onClick=${() => setEnding(session)}>${words.end}<//>`,
    },
  ];
  return html`
    <${PageTitle}>${texts.titles['support-sessions']}<//>
    <div class="section">
      <${Table}
        label=${texts.titles['support-sessions']}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ session_id }: SupportSession) => session_id}
        empty=${html`<p>${words.empty}</p>`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
    ${
      ending &&
      html`
        <${ChangeDialog}
          title=${words.endTitle}
          action=${words.end}
          onClose=${() => setEnding(undefined)}
          onSubmit=${async ({ reason = '' }: Record<string, string>) => {
            await changeAndReload(loaded.reload, () => endSupportSession(ending.session_id, reason));
            result.succeed(words.ended);
          }}
        />
      `
    }
  `;
}
