import { addOrganizationOwner } from './add-owner.ts';
import { archiveOrganization } from './archive.ts';
import { getOrganization } from './get.ts';
import { listOrganizations } from './list.ts';
import { restoreOrganization } from './restore.ts';
import { setOrganizationPlan } from './set-plan.ts';
import { setOrganizationQuotas } from './set-quotas.ts';

/** What operators see and change of organizations. */
export const organizations = [
  listOrganizations,
  getOrganization,
  setOrganizationPlan,
  setOrganizationQuotas,
  addOrganizationOwner,
  archiveOrganization,
  restoreOrganization,
];
