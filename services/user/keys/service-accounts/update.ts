import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { operation } from '../operation.ts';
import {
  auditedServiceAccount,
  presentServiceAccount,
  serviceAccountChanges,
  serviceAccountRecord,
} from './contract.ts';
import { managedAccount, requireGrantable } from './managed.ts';

export const updateServiceAccount = operation(
  'PATCH /api/v1/organizations/{organization_id}/service-accounts/{service_account_id}',
  {
    needs: 'assign roles',
    supportSession: 'refused',
    summary: 'Change a service account',
    description:
      'Changes the name, or replaces all roles by those that are named, for the calls that follow.',
    body: serviceAccountChanges,
    returns: serviceAccountRecord,
    audits: ['service_account.update'],
    async handle({ db, request, params: { service_account_id }, body: { name, roles }, audit }) {
      if (roles) requireGrantable(request, roles);
      const set = {
        ...(name !== undefined && { name }),
        ...(roles && { roles: roles.map(({ department_id, role }) => ({ department_id, role })) }),
      };
      const { before, changed } = await optimistic(async () => {
        const before = await managedAccount(db, request, service_account_id);
        if (Object.keys(set).length === 0) return { before, changed: before };
        const changed = await db.serviceAccounts.findOneAndUpdate(
          // The caller was found to manage an account with these roles.
          { service_account_id, roles: before.roles, deleting: { $exists: false } },
          { $set: set },
          { returnDocument: 'after' },
        );
        return changed ? { before, changed } : undefined;
      });
      if (before !== changed)
        await audit('service_account.update', {
          target: { service_account_id },
          before: auditedServiceAccount(before),
          after: auditedServiceAccount(changed),
        });
      return presentServiceAccount(changed);
    },
  },
);
