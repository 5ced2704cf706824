import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { useData } from '../../parts/use-data.ts';
import { getDepartment, getOrganization } from './calls.ts';

/** The name of an organization or department, as a link to it; while it loads, what it is. */
export const PlaceName = ({
  organization,
  department,
}: {
  organization: string;
  department: string | null;
}) => {
  const { data } = useData(`${organization} ${department}`, async () => {
    const [whole, part] = await Promise.all([
      getOrganization(organization),
      department === null
        ? null
        : getDepartment({ organization_id: organization, department_id: department }),
    ]);
    return [whole.name, part?.name].filter(Boolean).join(' / ');
  });
  const kind = department === null ? texts.organization.one : texts.organization.department;
  const query = new URLSearchParams({ organization, ...(department !== null && { department }) });
  return html`<a href=${`/organization?${query}`} data-page>${data ?? kind}</a>`;
};
