import { html } from '../../html.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Pager } from '../../parts/pager.ts';
import { type Column, Table } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { useData } from '../../parts/use-data.ts';
import { formatNumber } from '../../texts.ts';
import { listWebhooks, type TroubledWebhook } from '../calls.ts';
import { OrganizationLink, PersonLink } from '../parts/links.ts';
import { texts } from '../texts.ts';

const words = texts.webhooks;
const CHOICES = [{ name: 'state', label: words.state, options: Object.entries(words.states) }];

const COLUMNS: Column<TroubledWebhook>[] = [
  {
    title: words.webhook,
    cell: ({ name, origin }) =>
      html`<div class="person"><span>${name ?? origin}</span>${name && html`<small>${origin}</small>`}</div>`,
  },
  {
    title: words.owner,
    cell: ({ owner_id, organization_id }) =>
      organization_id
        ? html`<${OrganizationLink} id=${organization_id} />`
        : html`<${PersonLink} id=${owner_id} />`,
  },
  {
    title: words.since,
    cell: ({ disabled_at, failing_since }) => {
      const since = disabled_at ?? failing_since;
      return since ? html`<${Time} at=${since} ago />` : texts.none;
    },
  },
  {
    title: words.lastError,
    cell: ({ last_error }) =>
      last_error
        ? (last_error.error ?? (last_error.status === null ? texts.none : words.status(last_error.status)))
        : texts.none,
  },
  {
    title: words.failures,
    cell: ({ consecutive_failures }) => formatNumber(consecutive_failures),
    end: true,
  },
  { title: words.backlog, cell: ({ backlog }) => formatNumber(backlog), end: true },
];

/** The webhooks of everybody that fail or were disabled. */
export default function Webhooks() {
  const query = useListQuery({ state: Object.keys(words.states) });
  const loaded = useData(query.api, () => listWebhooks(query.api));
  return html`
    <${PageTitle}>${texts.titles.webhooks}<//>
    <${Filters} query=${query} choices=${CHOICES} />
    <div class="section">
      <${Table}
        label=${texts.titles.webhooks}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ webhook_id }: TroubledWebhook) => webhook_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<p>${words.empty}</p>`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
  `;
}
