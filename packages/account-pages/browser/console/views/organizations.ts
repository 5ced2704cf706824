import { formatDate } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { Lazy } from '../../parts/lazy.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Pager } from '../../parts/pager.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { useQuery } from '../../router.ts';
import { formatNumber } from '../../texts.ts';
import { PLANS } from '../../views/organization/calls.ts';
import { listOrganizations, type Organization } from '../calls.ts';
import { organizationPage } from '../parts/links.ts';
import { texts } from '../texts.ts';
import type { ViewProps } from '../view-props.ts';

const words = texts.organizations;

const CHOICES = [
  {
    name: 'plan',
    label: words.plan,
    options: [['', texts.any] as const, ...PLANS.map((plan) => [plan, plan] as const)],
  },
  { name: 'archived', label: words.state, options: Object.entries(words.states).toReversed() },
];

const COLUMNS: Column<Organization>[] = [
  {
    title: words.name,
    cell: ({ name, organization_id, archived_at }) => html`
      <div class="person">
        <span><a class="name" href=${organizationPage(organization_id)} data-page>${name}</a> ${archived_at && html`<${Badge}>${words.archived}<//>`}</span>
        <small>${organization_id}</small>
      </div>
    `,
  },
  { title: words.plan, cell: ({ plan }) => plan },
  { title: words.owners, cell: ({ owners_total }) => formatNumber(owners_total), end: true },
  { title: words.departments, cell: ({ departments_total }) => formatNumber(departments_total), end: true },
  { title: words.created, cell: ({ created_at }) => formatDate(created_at), end: true },
];

/** All organizations, or the one that the address names. */
export default function Organizations(props: ViewProps) {
  const id = useQuery().get('organization');
  return id
    ? html`<${Lazy} key=${id} load=${() => import('./organization.ts')} id=${id} ...${props} />`
    : html`<${List} />`;
}

function List() {
  const query = useListQuery({ plan: PLANS, archived: ['true', 'false'] });
  const loaded = useData(query.api, () => listOrganizations(query.api));
  return html`
    <${PageTitle}>${texts.titles.organizations}<//>
    <${Filters} query=${query} search=${words.search} choices=${CHOICES} />
    <div class="section">
      <${Table}
        label=${texts.titles.organizations}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ organization_id }: Organization) => organization_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<p>${words.empty}</p>`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
  `;
}
