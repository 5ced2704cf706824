import { orNotFound } from '@gatehouse/shared/http/errors';
import { reopenOrganization } from '../../archive/close-organization.ts';
import { organizationRecord } from '../../organizations/contract.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';

export const restoreOrganization = operation('POST /api/v1/admin/organizations/{organization_id}/restore', {
  needs: 'admin operator',
  byKey: true,
  fresh: true,
  summary: 'Restore an archived organization as an operator',
  description:
    'Undoes the archiving as its Owners can. The plan of each department is `pending` again. Once the deletion has begun, it is 404. Has no effect on an organization that is not archived.',
  body: withReason({}),
  returns: organizationRecord,
  audits: ['admin.organization_restore'],
  async handle(call) {
    const {
      db,
      now,
      caller,
      params: { organization_id },
    } = call;
    const before = await reopenOrganization(db, { organization_id }, caller, now());
    if (!before)
      return orNotFound(await db.organizations.findOne({ organization_id, deleting: { $exists: false } }));
    const { archived_at: _, deletes_at = '', ...restored } = before;
    await auditAdmin(call, 'admin.organization_restore', { before: { deletes_at } });
    return restored;
  },
});
