import { orNotFound } from '@gatehouse/shared/http/errors';
import { membershipOf } from '../access/membership.ts';
import { organizationRecord } from '../organizations/contract.ts';
import { ARCHIVED_DAYS } from '../organizations/records.ts';
import { closeOrganization } from './close-organization.ts';
import { operation } from './operation.ts';

/** CONTRACT.md §Archive. */
export const archiveOrganization = operation('POST /api/v1/organizations/{organization_id}/archive', {
  needs: 'ownership',
  supportSession: 'refused',
  whileArchived: true,
  summary: 'Archive an organization',
  description: `Closes the organization: from now on it is read-only with everything in it, its billing has ended and its webhooks are quiet. People log in as before. After ${ARCHIVED_DAYS} days it is deleted for good, with its departments, chatbots, members, invitations, webhooks, connections and domains; until then an Owner can restore it. Has no effect on an organization that is archived already.`,
  returns: organizationRecord,
  audits: ['organization.archive'],
  async handle({ db, now, audit, params: { organization_id }, request }) {
    const { caller } = membershipOf(request);
    const own = { organization_id, 'owners.user_id': caller };
    const archived = await closeOrganization(db, own, caller, now());
    if (!archived) return orNotFound(await db.organizations.findOne(own));
    const { deletes_at = '' } = archived;
    await audit('organization.archive', { after: { deletes_at } });
    return archived;
  },
});
