import { useState } from 'preact/hooks';
import { texts as accountTexts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { type Page, Pager } from '../../parts/pager.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { useData } from '../../parts/use-data.ts';
import type { AuditEvent } from '../calls.ts';
import { OrganizationLink, PersonLink } from '../parts/links.ts';
import { texts } from '../texts.ts';

const words = texts.audit;
const { actions } = accountTexts.activity;

/** The name of an action for readers. */
export const actionText = (action: string): string => actions[action] ?? action;

const textOf = (value: unknown): string =>
  value == null ? texts.none : Array.isArray(value) ? value.join(', ') : String(value);

/** What changed, as `field: before → after`. */
function changesOf({ before, after }: AuditEvent): string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .filter((field) => textOf(before?.[field]) !== textOf(after?.[field]))
    .map((field) =>
      before && field in before
        ? `${field}: ${textOf(before[field])} → ${textOf(after?.[field])}`
        : `${field}: ${textOf(after?.[field])}`,
    );
}

function targetOf({ target, organization_id }: AuditEvent) {
  const { user_id, email, ...others } = target;
  const other = Object.values(others)[0];
  if (user_id) return html`<${PersonLink} id=${user_id} text=${email} />`;
  if (email ?? other) return html`<span class="id">${email ?? other}</span>`;
  return html`<${OrganizationLink} id=${organization_id} />`;
}

export const COLUMNS: Column<AuditEvent>[] = [
  { title: words.at, cell: ({ at }) => html`<${Time} at=${at} />` },
  {
    title: words.action,
    cell: ({ action, outcome }) => html`
      <div class="person">
        <span>${actionText(action)}</span>
        ${outcome !== 'success' && html`<small><${Badge} tone="bad">${outcome}<//></small>`}
      </div>
    `,
  },
  {
    title: words.actor,
    cell: ({ actor }) =>
      html`<${PersonLink} id=${actor.user_id} text=${actor.email ?? (actor.user_id ? null : words.platform)} />`,
  },
  { title: words.target, cell: targetOf },
  {
    title: words.change,
    cell: (event) => {
      const changes = changesOf(event);
      return changes.length === 0
        ? texts.none
        : html`<ul class="changes">${changes.map((change) => html`<li>${change}</li>`)}</ul>`;
    },
  },
  { title: words.from, cell: ({ address }) => address ?? texts.none },
];

/** The latest events about one account or organization. */
export function EventList({ load }: { load: (query: string) => Promise<Page<AuditEvent>> }) {
  const [page, setPage] = useState(1);
  const query = `limit=10&page=${page}`;
  const loaded = useData(query, () => load(query));
  return html`
    <${Section} title=${texts.titles.audit}>
      <${Table}
        label=${texts.titles.audit}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ event_id }: AuditEvent) => event_id}
        empty=${html`<p>${words.empty}</p>`}
      />
      <${Pager} pagination=${loaded.data?.pagination} onPage=${setPage} />
    <//>
  `;
}
