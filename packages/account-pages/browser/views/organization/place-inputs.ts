import { useState } from 'preact/hooks';
import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { type Archivable, getOwnRoles, organizationIn } from '../../own-roles.ts';
import { Select } from '../../parts/select.ts';
import { useData } from '../../parts/use-data.ts';

const isOpen = ({ archived_at }: Archivable) => archived_at === undefined; // an archived place takes nothing in

/** Asks whether something belongs to the reader, or to a department of one of their organizations. */
export function PlaceInputs({
  whole,
  onChange,
}: {
  /** Offers the whole organization as well, under this name. */
  whole?: string;
  /** Receives the organization and the department; both are empty for the reader. */
  onChange?: (organization: string, department: string) => void;
}) {
  const [organization, setOrganization] = useState('');
  const [department, setDepartment] = useState('');
  const roles = useData('roles', getOwnRoles).data;
  const organizations = roles?.organizations.filter(isOpen) ?? [];
  const departments = organizationIn(roles, organization)?.departments.filter(isOpen) ?? [];
  const choose = (id: string) => {
    setOrganization(id);
    setDepartment('');
    onChange?.(id, '');
  };
  const found = departments.map(({ department_id, name }) => [department_id, name] as const);
  const options = [...(whole === undefined ? [] : [['', whole] as const]), ...found];
  if (organizations.length === 0) return null;
  return html`
    <div class="pair">
      <${Select}
        name="organization_id"
        label=${texts.chatbots.place}
        value=${organization}
        onChange=${choose}
        options=${[['', texts.chatbots.personal], ...organizations.map(({ organization_id, name }) => [organization_id, name])]}
      />
      ${
        organization &&
        html`
          <${Select}
            key=${organization}
            name="department_id"
            label=${texts.organization.department}
            options=${options}
            hint=${options.length === 0 ? texts.organization.noDepartments : undefined}
            value=${department || options[0]?.[0]}
            onChange=${(id: string) => {
              setDepartment(id);
              onChange?.(organization, id);
            }}
          />
        `
      }
    </div>
  `;
}
