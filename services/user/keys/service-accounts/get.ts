import { operation } from '../operation.ts';
import { presentServiceAccount, serviceAccountRecord } from './contract.ts';
import { managedAccount } from './managed.ts';

export const getServiceAccount = operation(
  'GET /api/v1/organizations/{organization_id}/service-accounts/{service_account_id}',
  {
    needs: 'assign roles',
    summary: 'Read a service account',
    description: 'Returns 404 also for one with a role that the caller may not grant.',
    returns: serviceAccountRecord,
    handle: async ({ db, request, params: { service_account_id } }) =>
      presentServiceAccount(await managedAccount(db, request, service_account_id)),
  },
);
