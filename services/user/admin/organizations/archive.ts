import { orNotFound } from '@gatehouse/shared/http/errors';
import { closeOrganization } from '../../archive/close-organization.ts';
import { organizationRecord } from '../../organizations/contract.ts';
import { ARCHIVED_DAYS } from '../../organizations/records.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';

export const archiveOrganization = operation('POST /api/v1/admin/organizations/{organization_id}/archive', {
  needs: 'admin operator',
  byKey: true,
  fresh: true,
  summary: 'Archive an organization as an operator',
  description: `Closes it as its Owners can: it is read-only, and deleted for good after ${ARCHIVED_DAYS} days unless it is restored. Has no effect on an organization that is archived already.`,
  body: withReason({}),
  returns: organizationRecord,
  audits: ['admin.organization_archive'],
  async handle(call) {
    const {
      db,
      now,
      caller,
      params: { organization_id },
    } = call;
    const archived = await closeOrganization(db, { organization_id }, caller, now());
    if (!archived) return orNotFound(await db.organizations.findOne({ organization_id }));
    const { deletes_at = '' } = archived;
    await auditAdmin(call, 'admin.organization_archive', { after: { deletes_at } });
    return archived;
  },
});
