import { z } from 'zod';
import { membershipOf } from '../../access/membership.ts';
import { operation } from '../operation.ts';
import { presentServiceAccount, serviceAccountRecord } from './contract.ts';
import { manages } from './managed.ts';

export const listServiceAccounts = operation('GET /api/v1/organizations/{organization_id}/service-accounts', {
  needs: 'assign roles',
  summary: 'List the service accounts of an organization',
  description:
    'The newest first: for Owners of the organization all, for others those whose every role they may grant.',
  returns: z.object({ service_accounts: z.array(serviceAccountRecord) }).meta({
    description: 'The service accounts',
    examples: [{ service_accounts: serviceAccountRecord.meta()?.examples ?? [] }],
  }),
  async handle({ db, request, params: { organization_id } }) {
    const membership = membershipOf(request);
    const accounts = await db.serviceAccounts
      .find({ organization_id, deleting: { $exists: false } })
      .sort({ created_at: -1, service_account_id: 1 })
      .toArray();
    const managed = accounts.filter((account) => manages(membership, account));
    return { service_accounts: managed.map(presentServiceAccount) };
  },
});
