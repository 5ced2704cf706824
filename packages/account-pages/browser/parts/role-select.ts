import type { Role } from '@gatehouse/shared/access/rbac';
import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { Select } from './select.ts';

/** The choice of a role among those that the reader may grant. */
export const RoleSelect = ({ roles, value }: { roles: readonly Role[]; value?: Role }) => html`
  <${Select}
    name="role"
    label=${texts.access.role}
    value=${value}
    options=${roles.map((role) => [role, `${texts.roles[role]} – ${texts.roleHints[role]}`])}
  />
`;
