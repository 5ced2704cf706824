import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { Pager } from '../../parts/pager.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { createDepartment, type Department, listDepartments, renameDepartment } from './calls.ts';
import { NameDialog } from './name-dialog.ts';
import type { OwnStanding } from './own-standing.ts';

const words = texts.organization;

/** Departments from which a search field helps. */
const MANY = 10;

/** The departments in which the reader has a role. */
export function Departments({
  organization_id,
  own,
  path,
  result,
  onChange,
}: {
  organization_id: string;
  own: OwnStanding;
  /** The path of the organization's page. */
  path: string;
  result: Result;
  /** Reads the reader's roles again. */
  onChange: () => Promise<void>;
}) {
  const query = useListQuery({ sort: ['name-asc'] });
  const loaded = useData(`${organization_id} ${query.api}`, () =>
    listDepartments(organization_id, query.api),
  );
  const [naming, setNaming] = useState<Department | 'new'>();
  const columns: Column<Department>[] = [
    {
      title: texts.fields.name,
      cell: ({ department_id, name, archived_at }) =>
        html`<a class="name" href=${`${path}&department=${encodeURIComponent(department_id)}`} data-page>${name}</a>${archived_at && html` <${Badge}>${texts.archive.badge}<//>`}`,
    },
    { title: words.createdAt, cell: ({ created_at }) => formatDate(created_at), end: !own.isOwner },
  ];
  if (own.isOwner)
    columns.push({
      title: texts.lists.actions,
      end: true,
      cell: (department) =>
        !department.archived_at &&
        html`<${Button} kind="plain" label=${`${words.rename}: ${department.name}`} onClick=${() => setNaming(department)}>${words.rename}<//>`,
    });
  const save = async (name: string) => {
    const reload = async () => void (await Promise.all([loaded.reload(), onChange()]));
    await changeAndReload(reload, () =>
      naming === 'new' || !naming ? createDepartment(organization_id, name) : renameDepartment(naming, name),
    );
    setNaming(undefined);
    result.succeed(naming === 'new' ? words.departmentCreated(name) : words.renamed(name));
  };
  const create =
    own.isOwner &&
    html`<${Button} kind="primary" onClick=${() => setNaming('new')}>${words.createDepartment}<//>`;
  const isEmpty = loaded.data?.data.length === 0 && !query.isNarrowed;
  const showsSearch = query.isNarrowed || (loaded.data?.pagination.total_items ?? 0) > MANY;
  return html`
    <${Section} title=${words.departments} actions=${!isEmpty && create}>
      ${showsSearch && html`<${Filters} query=${query} search=${words.searchDepartments} choices=${[]} />`}
      <${Table}
        label=${words.departments}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ department_id }: Department) => department_id}
        empty=${html`<${EmptyList} query=${query} empty=${html`<p>${own.isOwner ? words.noDepartmentsHint : words.noDepartments}</p>${create}`} />`}
      />
      <${Pager} pagination=${loaded.data?.pagination} />
    <//>
    ${
      naming &&
      html`
        <${NameDialog}
          title=${naming === 'new' ? words.createDepartment : words.renameTitle}
          submit=${naming === 'new' ? texts.actions.createDepartment : texts.actions.saveName}
          name=${naming === 'new' ? '' : naming.name}
          onSubmit=${save}
          onClose=${() => setNaming(undefined)}
        />
      `
    }
  `;
}
