import { formatDate } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { Lazy } from '../../parts/lazy.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Pager } from '../../parts/pager.ts';
import { Person as PersonName } from '../../parts/person.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { useQuery } from '../../router.ts';
import { listPeople, type Person } from '../calls.ts';
import { personPage } from '../parts/links.ts';
import { State } from '../parts/state.ts';
import { texts } from '../texts.ts';
import type { ViewProps } from '../view-props.ts';

const words = texts.people;
const STATES = Object.keys(words.states);

const CHOICES = [
  {
    name: 'state',
    label: words.state,
    options: [['', texts.any] as const, ...Object.entries(words.states)],
  },
];

const COLUMNS: Column<Person>[] = [
  {
    title: words.name,
    cell: ({ person_id, email, name }) =>
      html`<${PersonName} person=${{ user_id: person_id, email, name }} href=${personPage(person_id)} />`,
  },
  {
    title: words.state,
    cell: ({ state, deletion_due_at }) => html`
      <${State} state=${state} />
      ${deletion_due_at && html` <${Badge} tone="bad">${words.toBeDeleted}<//>`}
    `,
  },
  {
    title: words.protection,
    cell: ({ second_factor, passkeys }) =>
      [second_factor && words.secondFactor, passkeys && words.passkey].filter(Boolean).join(', ') ||
      texts.none,
  },
  { title: words.plan, cell: ({ plan }) => plan ?? texts.none },
  { title: words.created, cell: ({ created_at }) => formatDate(created_at), end: true },
];

/** People by search, or the one that the address names. */
export default function People(props: ViewProps) {
  const id = useQuery().get('person');
  return id
    ? html`<${Lazy} key=${id} load=${() => import('./person.ts')} id=${id} ...${props} />`
    : html`<${List} />`;
}

function List() {
  const query = useListQuery({ state: STATES });
  const loaded = useData(query.api, () => listPeople(query.api));
  return html`
    <${PageTitle}>${texts.titles.people}<//>
    <${Filters} query=${query} search=${words.search} choices=${CHOICES} />
    <div class="section">
      <${Table}
        label=${texts.titles.people}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ person_id }: Person) => person_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<p>${words.empty}</p>`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    </div>
  `;
}
