import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { operation } from '../operation.ts';
import { auditedServiceAccount } from './contract.ts';
import { managedAccount } from './managed.ts';
import { removeServiceAccount } from './remove.ts';

export const deleteServiceAccount = operation(
  'DELETE /api/v1/organizations/{organization_id}/service-accounts/{service_account_id}',
  {
    needs: 'assign roles',
    supportSession: 'refused',
    summary: 'Delete a service account',
    description:
      'Its keys end with it. Chatbots that it has made stay in their departments, whose Owners manage them.',
    returns: message('Service account deleted', 'Its keys open nothing any more.'),
    audits: ['service_account.delete'],
    async handle({ db, request, params: { service_account_id }, audit }) {
      const { roles } = await managedAccount(db, request, service_account_id);
      const account = orNotFound(
        await db.serviceAccounts.findOneAndUpdate(
          { service_account_id, roles, deleting: { $exists: false } },
          { $set: { deleting: true } },
        ),
      );
      await audit('service_account.delete', {
        target: { service_account_id },
        before: auditedServiceAccount(account),
      });
      await removeServiceAccount(db, service_account_id);
    },
  },
);
