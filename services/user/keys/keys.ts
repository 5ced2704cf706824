import { createKeys } from './create.ts';
import { deleteKeys } from './delete.ts';
import { getKeys } from './get.ts';
import { listKeys } from './list.ts';
import { rotateKeys } from './rotate.ts';
import { createServiceAccount } from './service-accounts/create.ts';
import { deleteServiceAccount } from './service-accounts/delete.ts';
import { getServiceAccount } from './service-accounts/get.ts';
import { listServiceAccounts } from './service-accounts/list.ts';
import { updateServiceAccount } from './service-accounts/update.ts';
import { updateKeys } from './update.ts';

/** The operations on machine keys and service accounts. */
export const keys = [
  ...createKeys,
  ...listKeys,
  ...getKeys,
  ...updateKeys,
  ...rotateKeys,
  ...deleteKeys,
  createServiceAccount,
  listServiceAccounts,
  getServiceAccount,
  updateServiceAccount,
  deleteServiceAccount,
];
