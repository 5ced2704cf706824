import { grantableBy } from '@gatehouse/shared/access/rbac';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import type { ServiceAccount, ServiceRole } from '@gatehouse/shared/identity/machine-keys/records';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { refuseArchived } from '../../access/archived.ts';
import { type CallerMembership, membershipOf } from '../../access/membership.ts';
import { departmentOf } from '../../access/roles.ts';
import type { Database } from '../../database.ts';

/**
 * Whether the caller may manage a service account: its organization is theirs, or they may grant each of its roles.
 * Otherwise a key of it would give them what they do not hold.
 */
export const manages = ({ roles }: CallerMembership, account: ServiceAccount): boolean =>
  roles.owned.has(account.organization_id) ||
  account.roles.every(({ department_id, role }) => {
    const own = departmentOf(roles, department_id);
    return own !== undefined && grantableBy(own.role).includes(role);
  });

/** @throws {AppError} notFound for one that the caller does not manage. */
export async function managedAccount(
  { serviceAccounts }: Pick<Database, 'serviceAccounts'>,
  request: FastifyRequest,
  service_account_id: string,
): Promise<WithId<ServiceAccount>> {
  const { organization_id } = request.params as { organization_id: string };
  const account = orNotFound(
    await serviceAccounts.findOne({ service_account_id, organization_id, deleting: { $exists: false } }),
  );
  if (!manages(membershipOf(request), account)) throw new AppError('notFound');
  return account;
}

/**
 * Requires that the caller may grant these roles.
 * @throws {AppError} notFound for a department in which the caller has no role; forbidden for a role that they may not
 * grant, or in an archived department.
 */
export function requireGrantable(request: FastifyRequest, wanted: readonly ServiceRole[]): void {
  const { organization_id } = request.params as { organization_id: string };
  const { roles } = membershipOf(request);
  for (const { department_id, role } of wanted) {
    const own = departmentOf(roles, department_id);
    if (own?.organization_id !== organization_id) throw new AppError('notFound');
    if (!grantableBy(own.role).includes(role)) throw new AppError('forbidden');
    refuseArchived(own.archived);
  }
}
