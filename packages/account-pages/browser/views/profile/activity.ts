import { useState } from 'preact/hooks';
import { texts } from '../../account-texts.ts';
import { get } from '../../gate.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { type Page, Pager } from '../../parts/pager.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { useData } from '../../parts/use-data.ts';
import { currentSession } from '../../session.ts';

type Value = string | string[] | null;

interface Event {
  event_id: string;
  at: string;
  action: string;
  outcome: string;
  actor: { user_id: string | null };
  before: Record<string, Value> | null;
  after: Record<string, Value> | null;
  address: string | null;
  /** The operator who did it, in a support session. */
  operator?: string;
}

const { columns } = texts.activity;

const wordsOf = (value: Value | undefined): string =>
  [value ?? []].flat().join(', ') || texts.activity.nothing;

/** What changed, for example `Name: Ada → Ada King`. */
function changesOf({ before, after }: Event): string[] {
  return Object.keys({ ...before, ...after })
    .filter((field) => field in texts.activity.fields)
    .map((field) => {
      const values = before ? [before[field], ...(after ? [after[field]] : [])] : [after?.[field]];
      return `${texts.activity.fields[field]}: ${values.map(wordsOf).join(' → ')}`;
    });
}

/** The audit trail of the account, newest first. */
export function Activity() {
  const userId = currentSession()?.userId;
  const [page, setPage] = useState(1);
  const loaded = useData(`activity ${page}`, () =>
    get<Page<Event>>(`/api/v1/users/me/audit?limit=10&page=${page}`),
  );
  const shown: Column<Event>[] = [
    {
      title: columns.what,
      cell: (event) => {
        const { action, outcome, actor, operator } = event;
        const isOthers = actor.user_id !== null && actor.user_id !== userId;
        return html`
          <div class="event">
            <span>
              ${texts.activity.actions[action] ?? action}
              ${operator && html` ${texts.activity.by(texts.sessions.support(operator))}`}
              ${isOthers && html` ${texts.activity.by(actor.user_id ?? '')}`}
              ${outcome !== 'success' && html` <${Badge} tone="bad">${texts.activity.refused}<//>`}
            </span>
            ${outcome !== 'success' && html`<span class="hint">${texts.activity.outcomes[outcome] ?? outcome}</span>`}
            ${changesOf(event).map((change) => html`<span class="hint">${change}</span>`)}
          </div>
        `;
      },
    },
    { title: columns.when, cell: ({ at }) => html`<${Time} at=${at} />` },
    {
      title: columns.where,
      cell: ({ address }) => address ?? html`<span class="hint">${texts.activity.noAddress}</span>`,
    },
  ];
  return html`
    <${Section} title=${texts.activity.title}>
      <p class="hint">${texts.activity.hint}</p>
      <${Table}
        label=${texts.activity.title}
        loaded=${loaded}
        columns=${shown}
        keyOf=${({ event_id }: Event) => event_id}
        empty=${texts.activity.empty}
      />
      <${Pager} pagination=${loaded.data?.pagination} onPage=${setPage} />
    <//>
  `;
}
