import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { departmentIn, getOwnRoles, organizationIn } from '../../own-roles.ts';
import { useData } from '../../parts/use-data.ts';

interface Place {
  organization: string;
  department: string | null;
}

/** An organization or department as a link to it; without names, what it is. */
export const PlaceLink = ({
  organization,
  department,
  names,
}: Place & { names: readonly (string | null | undefined)[] }) => {
  const kind = department === null ? texts.organization.one : texts.organization.department;
  const query = new URLSearchParams({ organization, ...(department !== null && { department }) });
  return html`<a href=${`/organization?${query}`} data-page>${names.filter(Boolean).join(' / ') || kind}</a>`;
};

/** The name of an organization or department in which the reader has a role, as a link to it. */
export const PlaceName = ({ organization, department }: Place) => {
  const { data } = useData('roles', getOwnRoles);
  const place = { organization_id: organization, department_id: department };
  const names = [organizationIn(data, organization)?.name, departmentIn(data, place)?.name];
  return html`<${PlaceLink} organization=${organization} department=${department} names=${names} />`;
};
