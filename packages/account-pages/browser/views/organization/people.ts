import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { Pager } from '../../parts/pager.ts';
import { Person } from '../../parts/person.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { listPeople, type PersonRoles } from './calls.ts';
import type { OwnStanding } from './own-standing.ts';

const words = texts.people;

/** Everybody with a role anywhere in an organization. */
export default function People({
  organization_id,
  own,
  path,
}: {
  organization_id: string;
  own: OwnStanding;
  /** The path of the organization's page. */
  path: string;
}) {
  const query = useListQuery({});
  const loaded = useData(`${organization_id} ${query.api}`, () => listPeople(organization_id, query.api));
  const columns: Column<PersonRoles>[] = [
    {
      title: texts.access.person,
      cell: (person) => html`
        <${Person}
          person=${person}
          isSelf=${person.user_id === own.id}
          href=${`${path}&person=${encodeURIComponent(person.user_id)}`}
        />
      `,
    },
    {
      title: words.roles,
      cell: ({ role, departments, departments_total }) => html`
        <ul class="changes">
          ${role && html`<li>${texts.roles[role]} <span>${texts.organization.one}</span></li>`}
          ${departments.map(({ department_id, name, role }) => html`<li key=${department_id}>${texts.roles[role]} <span>${name}</span></li>`)}
          ${departments_total > departments.length && html`<li>…</li>`}
        </ul>
      `,
    },
  ];
  return html`
    <${Section} title=${words.title}>
      <p class="muted">${words.explanation}</p>
      <${Filters} query=${query} search=${words.search} choices=${[]} />
      <${Table}
        label=${words.title}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ user_id }: PersonRoles) => user_id}
        empty=${html`<${EmptyList} query=${query} empty="" />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    <//>
  `;
}
