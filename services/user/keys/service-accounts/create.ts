import { randomUUIDv7 } from 'node:crypto';
import { insertInFreeSlot, lowestFree } from '@gatehouse/shared/durable/slot';
import { AppError } from '@gatehouse/shared/http/errors';
import { MAX_SERVICE_ACCOUNTS, type ServiceAccount } from '@gatehouse/shared/identity/machine-keys/records';
import { operation } from '../operation.ts';
import {
  auditedServiceAccount,
  newServiceAccount,
  presentServiceAccount,
  serviceAccountRecord,
} from './contract.ts';
import { requireGrantable } from './managed.ts';

export const createServiceAccount = operation(
  'POST /api/v1/organizations/{organization_id}/service-accounts',
  {
    needs: 'assign roles',
    supportSession: 'refused',
    summary: 'Make a service account',
    description: `A service account is a machine of the organization. It has a role in each department that is named, below Owner and none above that of the caller, and no more than its keys are given. It stays when whoever made it leaves. At most ${MAX_SERVICE_ACCOUNTS}.`,
    body: newServiceAccount,
    returns: { 201: serviceAccountRecord },
    fails: ['duplicate'],
    audits: ['service_account.create'],
    async handle({ db, now, request, caller, params: { organization_id }, body: { name, roles }, audit }) {
      requireGrantable(request, roles);
      const freeSlot = async () => {
        const taken = await db.serviceAccounts.distinct('slot', { organization_id });
        const slot = lowestFree(taken, MAX_SERVICE_ACCOUNTS);
        if (slot === undefined)
          throw new AppError('duplicate', {
            text: `The organization has ${MAX_SERVICE_ACCOUNTS} service accounts. Please delete one first.`,
          });
        return slot;
      };
      const account = await insertInFreeSlot(['slot'], freeSlot, async (slot) => {
        const stored: ServiceAccount = {
          service_account_id: `Service-${randomUUIDv7()}`,
          organization_id,
          slot,
          name,
          roles: roles.map(({ department_id, role }) => ({ department_id, role })),
          created_at: new Date(now()),
          created_by: caller,
        };
        await db.serviceAccounts.insertOne(stored);
        return stored;
      });
      const { service_account_id } = account;
      await audit('service_account.create', {
        target: { service_account_id },
        after: auditedServiceAccount(account),
      });
      return presentServiceAccount(account);
    },
  },
);
