import { orNotFound } from '@gatehouse/shared/http/errors';
import { membershipOf } from '../access/membership.ts';
import { organizationRecord } from '../organizations/contract.ts';
import { ARCHIVED, NO_MARKS, renewBilling } from './marks.ts';
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
    const { caller, roles } = membershipOf(request);
    const own = { organization_id, 'owners.user_id': caller, deleting: { $exists: false } };
    // Before the organization opens: no plan may count as paid in between.
    if (roles.archived.has(organization_id))
      await db.departments.updateMany({ organization_id }, [renewBilling(caller, now())]);
    const before = await db.organizations.findOneAndUpdate(
      { ...own, ...ARCHIVED },
      { $unset: NO_MARKS },
      { returnDocument: 'before' },
    );
    if (!before) return orNotFound(await db.organizations.findOne(own));
    const { archived_at: _, deletes_at = '', ...restored } = before;
    await audit('organization.restore', { before: { deletes_at } });
    return restored;
  },
});
