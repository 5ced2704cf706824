import { type Permission, permissionsOf, type Role } from '@gatehouse/shared/access/rbac';
import type { Tenant } from '@gatehouse/shared/access/tenant';
import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';

/**
 * An archived place is read-only (CONTRACT.md §Archive). The check reads the roles and the marks of the places with
 * one query, before the operation's own write. A write that has passed its check when the place is archived is stored,
 * like one that came just before. That is harmless: the deletion comes days later, and takes what it finds then.
 */
export interface Archived {
  /** The outer place if both are archived. */
  what: 'organization' | 'department';
  /** Since when; ISO 8601. */
  at: string;
}

const READ_METHODS = ['GET', 'HEAD'];

/** Whether a call is refused in archived places. */
export const isWrite = ({ method, routeOptions }: FastifyRequest): boolean =>
  !READ_METHODS.includes(method) && routeOptions.config.operation?.whileArchived !== true;

/** @throws {AppError} forbidden with a text of its own if the place is archived. */
export function refuseArchived(archived: Archived | undefined): void {
  if (archived) throw new AppError('forbidden', { text: `The ${archived.what} is archived` });
}

const READING: readonly Permission[] = [
  'view chatbot',
  'view users',
  'view billing',
  'view analytics',
  'export data',
  'view prompts',
  'view knowledge base',
];

/** The permissions of a role that an archived place leaves. */
export const permissionsIn = (role: Role, archived: Archived | undefined): Permission[] =>
  permissionsOf(role).filter((permission) => !archived || READING.includes(permission));

/**
 * Reads which of some organizations and departments are closed: archived, also through their organization, or deleted.
 * Asks nothing if no tenant is given.
 */
export async function closedAmong(
  db: Database,
  tenants: Iterable<Tenant>,
): Promise<(tenant: Tenant) => boolean> {
  const given = [...tenants];
  const [organizations, departments] = await Promise.all([
    openIds(db.organizations, 'organization_id', given),
    openIds(db.departments, 'department_id', given),
  ]);
  return ({ organization_id, department_id }) =>
    (organization_id !== null && !organizations.has(organization_id)) ||
    (department_id !== null && !departments.has(department_id));
}

async function openIds<Key extends keyof Tenant>(
  collection: Database['organizations'] | Database['departments'],
  key: Key,
  tenants: readonly Tenant[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(tenants.map((tenant) => tenant[key]).filter((id) => id !== null))];
  if (ids.length === 0) return new Set();
  const open = await (collection as Database['departments'])
    .find({ [key]: { $in: ids }, archived_at: { $exists: false } }, { projection: { _id: 0, [key]: 1 } })
    .toArray();
  return new Set(open.map((each) => String(each[key])));
}
