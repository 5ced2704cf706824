import { KEY_PERMISSIONS, SERVICE_ACCOUNT_PERMISSIONS } from '@gatehouse/shared/access/key-permissions';
import type { KeyOwner } from '@gatehouse/shared/identity/machine-keys/records';
import { principalOf } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';
import { managedAccount } from './service-accounts/managed.ts';

/** Each operation on keys exists for one's own keys and for those of a service account. */
export const OWNERS = [
  {
    of: 'your own key',
    plural: 'your own keys',
    path: '/api/v1/users/me',
    needs: 'own',
    permissions: KEY_PERMISSIONS,
  },
  {
    of: 'a key of a service account',
    plural: 'the keys of a service account',
    path: '/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}',
    needs: 'assign roles',
    permissions: SERVICE_ACCOUNT_PERMISSIONS,
  },
] as const;

/**
 * Whose keys the path is about: the caller's, or those of a service account that they manage.
 * @throws {AppError} notFound
 */
export async function ownerInPath(db: Database, request: FastifyRequest): Promise<KeyOwner> {
  const { service_account_id } = request.params as { service_account_id?: string };
  if (service_account_id === undefined) return principalOf(request).user._id;
  return (await managedAccount(db, request, service_account_id)).service_account_id;
}

/** What the audit of an operation names besides. */
export function auditTarget(request: FastifyRequest, key_id: string) {
  const { service_account_id } = request.params as { service_account_id?: string };
  return { key_id, ...(service_account_id !== undefined && { service_account_id }) };
}
