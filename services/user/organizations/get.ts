import { orNotFound } from '@gatehouse/shared/http/errors';
import { organizationRecord } from './contract.ts';
import { operation } from './operation.ts';

export const getOrganization = operation('GET /api/v1/organizations/{organization_id}', {
  needs: 'membership',
  summary: 'Read an organization',
  description: 'Returns 404 if the organization does not exist or the caller has no role in it.',
  returns: organizationRecord,
  async handle({ db, params: { organization_id } }) {
    return orNotFound(await db.organizations.findOne({ organization_id }));
  },
});
