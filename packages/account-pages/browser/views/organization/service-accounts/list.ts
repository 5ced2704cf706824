import { useState } from 'preact/hooks';
import { html } from '../../../html.ts';
import { formatDate, texts } from '../../../key-texts.ts';
import type { OwnDepartment, OwnOrganization } from '../../../own-roles.ts';
import { Button } from '../../../parts/button.ts';
import { Dialog } from '../../../parts/dialog.ts';
import { Form } from '../../../parts/form.ts';
import type { Result } from '../../../parts/result.ts';
import { Section } from '../../../parts/section.ts';
import { type Column, Table } from '../../../parts/table.ts';
import { changeAndReload, useData } from '../../../parts/use-data.ts';
import { navigate } from '../../../router.ts';
import { createServiceAccount, listServiceAccounts, type ServiceAccount } from './calls.ts';
import { departmentsFor, ServiceAccountInputs, serviceAccountIn } from './inputs.ts';

const words = texts.serviceAccounts;

/** For example `Support: Editor`, of each department in which the account has a role. */
export const rolesText = ({ roles }: ServiceAccount, departments: readonly OwnDepartment[]): string =>
  roles
    .map(({ department_id, role }) => {
      const name = departments.find((each) => each.department_id === department_id)?.name ?? department_id;
      return `${name}: ${texts.roles[role]}`;
    })
    .join(', ');

/** The service accounts of an organization that the reader may manage. */
export default function ServiceAccounts({
  organization,
  path,
  result,
}: {
  organization: OwnOrganization;
  /** The path of the organization's page. */
  path: string;
  result: Result;
}) {
  const { organization_id, departments, archived_at } = organization;
  const loaded = useData(organization_id, async () => ({
    data: (await listServiceAccounts(organization_id)).service_accounts,
  }));
  const [isCreating, setCreating] = useState(false);
  const pageOf = ({ service_account_id }: ServiceAccount) =>
    `${path}&service=${encodeURIComponent(service_account_id)}`;
  const columns: Column<ServiceAccount>[] = [
    {
      title: words.columns.name,
      cell: (account) => html`<a class="name" href=${pageOf(account)} data-page>${account.name}</a>`,
    },
    {
      title: words.columns.roles,
      cell: (account) => html`<small>${rolesText(account, departments)}</small>`,
    },
    { title: words.columns.created, cell: ({ created_at }) => formatDate(created_at), end: true },
  ];
  const submit = async (fields: Record<string, string>) => {
    const account = await changeAndReload(loaded.reload, () =>
      createServiceAccount(organization_id, serviceAccountIn(fields)),
    );
    setCreating(false);
    result.succeed(words.created(account.name));
    navigate(pageOf(account));
  };
  const hasDepartment = departmentsFor(departments).length > 0;
  const create =
    archived_at === undefined &&
    hasDepartment &&
    html`<${Button} kind="primary" onClick=${() => setCreating(true)}>${words.create}<//>`;
  const isEmpty = loaded.data?.data.length === 0;
  return html`
    <${Section} title=${words.title} actions=${!isEmpty && create}>
      <p class="muted">${words.hint}</p>
      <${Table}
        label=${words.title}
        loaded=${loaded}
        columns=${columns}
        keyOf=${({ service_account_id }: ServiceAccount) => service_account_id}
        empty=${html`<h3>${words.none}</h3><p>${hasDepartment ? words.noneHint : words.noDepartments}</p>${create}`}
      />
    <//>
    ${
      isCreating &&
      html`
        <${Dialog} title=${words.create} onClose=${() => setCreating(false)}>
          <${Form} submit=${words.createAction} onSubmit=${submit}>
            <${ServiceAccountInputs} departments=${departments} />
          <//>
        <//>
      `
    }
  `;
}
