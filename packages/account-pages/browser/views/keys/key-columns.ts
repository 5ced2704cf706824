import type { ComponentChildren } from 'preact';
import { html } from '../../html.ts';
import { formatAgo, formatDate, formatDateTime, formatNumber, texts } from '../../key-texts.ts';
import { Badge } from '../../parts/badge.ts';
import type { Column } from '../../parts/table.ts';
import type { MachineKey } from './calls.ts';

const words = texts.keys;

/** Texts of a list that are shown before the others are counted. */
const NAMED = 3;

const listed = (all: readonly string[]): string =>
  all.length <= NAMED + 1
    ? all.join(', ')
    : `${all.slice(0, NAMED).join(', ')} ${words.more(formatNumber(all.length - NAMED))}`;

/** What the list shows of each key. @param actions the buttons of a key, if the reader may change it. */
export const keyColumns = (actions?: (key: MachineKey) => ComponentChildren): Column<MachineKey>[] => [
  {
    title: words.columns.key,
    cell: ({ name, key_id, overlap_until }) => html`
      <div class="person">
        <strong>${name}</strong>
        <small><code>gh_${key_id}_…</code></small>
        ${overlap_until && Date.parse(overlap_until) > Date.now() && html`<small>${words.overlap(formatDateTime(overlap_until))}</small>`}
      </div>
    `,
  },
  {
    title: words.columns.permissions,
    cell: ({ permissions }) =>
      html`<small title=${permissions.join(', ')}>${listed(permissions.map((each) => words.names[each]))}</small>`,
  },
  {
    title: words.columns.networks,
    cell: ({ networks }) =>
      networks.length === 0
        ? html`<small>${words.everywhere}</small>`
        : html`<small title=${networks.join(', ')}>${listed(networks)}</small>`,
  },
  {
    title: words.columns.expires,
    cell: ({ expires_at }) => {
      if (expires_at === null) return words.never;
      return Date.parse(expires_at) <= Date.now()
        ? html`<${Badge} tone="bad">${words.expired}<//>`
        : formatDate(expires_at);
    },
  },
  {
    title: words.columns.used,
    cell: ({ last_used_at }) => (last_used_at ? formatAgo(last_used_at) : words.unused),
    end: !actions,
  },
  ...(actions ? [{ title: texts.lists.actions, end: true, cell: actions }] : []),
];
