import { orNotFound } from '@gatehouse/shared/http/errors';
import { membershipOf } from '../access/membership.ts';
import { organizationRecord } from '../organizations/contract.ts';
import { reopenOrganization } from './close-organization.ts';
import { operation } from './operation.ts';

/** CONTRACT.md §Archive. */
export const restoreOrganization = operation('POST /api/v1/organizations/{organization_id}/restore', {
  needs: 'ownership',
  whileArchived: true,
  summary: 'Restore an archived organization',
  description:
    'Undoes the archiving. The plan of each department is `pending` again until the payment service reports its payment. Departments that were archived on their own stay archived. Once the deletion has begun, the organization is 404. Has no effect on an organization that is not archived.',
  returns: organizationRecord,
  audits: ['organization.restore'],
  async handle({ db, now, audit, params: { organization_id }, request }) {
    const { caller } = membershipOf(request);
    const own = { organization_id, 'owners.user_id': caller, deleting: { $exists: false } };
    const before = await reopenOrganization(db, own, caller, now());
    if (!before) return orNotFound(await db.organizations.findOne(own));
    const { archived_at: _, deletes_at = '', ...restored } = before;
    await audit('organization.restore', { before: { deletes_at } });
    return restored;
  },
});
