import { grantableBy, type Role } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { ApiError } from '../../../gate.ts';
import { html } from '../../../html.ts';
import { texts } from '../../../key-texts.ts';
import type { OwnDepartment } from '../../../own-roles.ts';
import { Button } from '../../../parts/button.ts';
import { Field } from '../../../parts/field.ts';
import { Select } from '../../../parts/select.ts';
import type { ServiceAccount, ServiceAccountFields, ServiceRole } from './calls.ts';

const words = texts.serviceAccounts;

/** The roles below Owner that the reader may grant in a department; a service account is never an Owner. */
const grantable = ({ role }: OwnDepartment): Role[] => grantableBy(role).filter((each) => each !== 'Owner');

/** The departments in which the reader may give a service account a role. */
export const departmentsFor = (departments: readonly OwnDepartment[]): OwnDepartment[] =>
  departments.filter((each) => each.archived_at === undefined && grantable(each).length > 0);

/** The name and the roles of a service account. */
export function ServiceAccountInputs({
  departments,
  account,
}: {
  /** Those of the reader. */
  departments: readonly OwnDepartment[];
  account?: ServiceAccount;
}) {
  const stored = account?.roles.map(({ department_id }) => department_id) ?? [];
  // A role in an archived department stays until the reader removes it.
  const offered = departments.filter(
    (each) => stored.includes(each.department_id) || departmentsFor([each]).length > 0,
  );
  const [rows, setRows] = useState<{ key: number; given: ServiceRole | undefined }[]>(() =>
    (account?.roles ?? [undefined]).map((given, key) => ({ key, given })),
  );
  const [added, setAdded] = useState(rows.length);
  const add = () => {
    setRows([...rows, { key: added, given: undefined }]);
    setAdded(added + 1);
  };
  return html`
    <${Field} name="name" label=${texts.fields.name} hint=${words.nameHint} value=${account?.name} maxlength="100" autocomplete="off" autofocus />
    <fieldset class="rows">
      <legend>${words.roles}</legend>
      ${rows.map(
        ({ key, given }) => html`
          <${RoleRow}
            key=${key}
            name=${key}
            departments=${offered}
            given=${given}
            onRemove=${rows.length > 1 && (() => setRows(rows.filter((row) => row.key !== key)))}
          />
        `,
      )}
      ${rows.length < offered.length && html`<div><${Button} onClick=${add}>${words.addRole}<//></div>`}
    </fieldset>
  `;
}

/** A department and the role in it. */
function RoleRow({
  name,
  departments,
  given,
  onRemove,
}: {
  name: number;
  departments: readonly OwnDepartment[];
  given: ServiceRole | undefined;
  onRemove: false | (() => void);
}) {
  const [id, setId] = useState(given?.department_id ?? departments[0]?.department_id ?? '');
  const department = departments.find(({ department_id }) => department_id === id);
  const roles = department ? grantable(department) : [];
  return html`
    <div class="row-fields">
      <${Select}
        name=${`department-${name}`}
        label=${words.department}
        value=${id}
        onChange=${setId}
        options=${departments.map((each) => [each.department_id, each.name])}
      />
      <${Select}
        name=${`role-${name}`}
        label=${texts.access.role}
        value=${given?.role ?? 'Viewer'}
        options=${roles.map((role) => [role, texts.roles[role]])}
      />
      ${onRemove && html`<${Button} kind="plain" label=${`${words.removeRole}: ${department?.name ?? ''}`} onClick=${onRemove}>${words.removeRole}<//>`}
    </div>
  `;
}

/** Reads the fields from a form. @throws {ApiError} if a department is named twice. */
export function serviceAccountIn(fields: Record<string, string>): ServiceAccountFields {
  const roles = Object.keys(fields)
    .filter((field) => field.startsWith('department-'))
    .map((field) => ({
      department_id: fields[field] ?? '',
      role: fields[field.replace('department', 'role')] as Role,
    }));
  if (new Set(roles.map(({ department_id }) => department_id)).size < roles.length)
    throw new ApiError(words.twice);
  return { name: (fields.name ?? '').trim(), roles };
}

/** Only what has changed: another tab may be changing the rest. */
export function changesOf({ name, roles }: ServiceAccountFields, account: ServiceAccount) {
  const sorted = (all: readonly ServiceRole[]) =>
    all
      .map(({ department_id, role }) => `${department_id} ${role}`)
      .sort()
      .join();
  return {
    ...(name !== account.name && { name }),
    ...(sorted(roles) !== sorted(account.roles) && { roles }),
  };
}
