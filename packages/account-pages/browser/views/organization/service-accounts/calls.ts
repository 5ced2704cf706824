import type { Role } from '@gatehouse/shared/access/rbac';
import { get, patch, post, remove } from '../../../gate.ts';

/** The calls of the pages for service accounts. */

export interface ServiceRole {
  department_id: string;
  role: Role;
}

export interface ServiceAccount {
  service_account_id: string;
  organization_id: string;
  name: string;
  roles: ServiceRole[];
  created_at: string;
}

export type ServiceAccountFields = Pick<ServiceAccount, 'name' | 'roles'>;

const path = (organization_id: string) =>
  `/api/v1/organizations/${encodeURIComponent(organization_id)}/service-accounts`;

export const serviceAccountPath = ({
  organization_id,
  service_account_id,
}: Pick<ServiceAccount, 'organization_id' | 'service_account_id'>) =>
  `${path(organization_id)}/${encodeURIComponent(service_account_id)}`;

export const listServiceAccounts = (organization_id: string) =>
  get<{ service_accounts: ServiceAccount[] }>(path(organization_id));
export const createServiceAccount = (organization_id: string, fields: ServiceAccountFields) =>
  post<ServiceAccount>(path(organization_id), fields);
export const getServiceAccount = (organization_id: string, service_account_id: string) =>
  get<ServiceAccount>(serviceAccountPath({ organization_id, service_account_id }));
export const updateServiceAccount = (account: ServiceAccount, changes: Partial<ServiceAccountFields>) =>
  patch<ServiceAccount>(serviceAccountPath(account), changes);
export const deleteServiceAccount = (account: ServiceAccount) => remove(serviceAccountPath(account));
