import { AppError } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { Visible } from '@gatehouse/shared/operation/lists';
import type { FastifyRequest } from 'fastify';
import { isWrite, refuseArchived } from '../access/archived.ts';
import { archivedIn, type Roles, roleIn, rolesOf } from '../access/roles.ts';
import type { Database } from '../database.ts';
import { placeOf, type Webhook } from './records.ts';

/**
 * Who manages the webhooks and reads the events of a place: the Owners of its organization and, in a department, its
 * Owners and Admins. Roles are read for each call, so that a role that ends takes this along.
 */

/** An organization, or one of its departments. */
interface Place {
  organization_id: string;
  department_id: string | null;
}

/** Whether these are the roles of somebody who administers a place. */
function administers(roles: Roles, { organization_id, department_id }: Place): boolean {
  if (roles.owned.has(organization_id)) return true;
  return department_id !== null && isAdministrator(roleIn(roles, department_id));
}

const isAdministrator = (role: string | undefined): boolean => role === 'Owner' || role === 'Admin';

/**
 * Checks that the caller manages a webhook: their own, or one of a place that they administer.
 * @throws {AppError} notFound if they do not; forbidden for a write in an archived place.
 */
export async function assertManages(db: Database, request: FastifyRequest, webhook: Webhook): Promise<void> {
  const caller = callerId(request);
  const { organization_id, department_id } = placeOf(webhook);
  if (webhook.owner_id === caller) return;
  if (webhook.owner_id !== null || organization_id === null) throw new AppError('notFound');
  const roles = await rolesOf(db, caller);
  const place = { organization_id, department_id };
  if (!administers(roles, place)) throw new AppError('notFound');
  if (isWrite(request)) refuseArchived(archivedPlace(roles, place));
}

/** Whether a place is archived. */
const archivedPlace = (roles: Roles, { organization_id, department_id }: Place) =>
  department_id === null ? roles.archived.get(organization_id) : archivedIn(roles, department_id);

/** The webhooks that a user manages, in parts that do not overlap. */
export async function managedBy(db: Database, user_id: string): Promise<Visible<Webhook>[]> {
  const { owned, departments } = await rolesOf(db, user_id);
  const administered = departments.filter(
    ({ organization_id, role }) => !owned.has(organization_id) && isAdministrator(role),
  );
  return [
    { within: { owner_id: user_id } },
    { within: { owner_id: null, organization_id: { $in: [...owned] } } },
    {
      within: {
        owner_id: null,
        organization_id: { $in: administered.map(({ organization_id }) => organization_id) },
        department_id: { $in: administered.map(({ department_id }) => department_id) },
      },
    },
  ];
}

/**
 * The place that the caller names by the ids of an organization, a department, or both.
 * @throws {AppError} notFound if the caller has no role there; forbidden if they do not administer it, or for a write
 * if it is archived.
 */
export async function administeredPlace(
  db: Database,
  request: FastifyRequest,
  {
    organization_id,
    department_id,
  }: { organization_id?: string | undefined; department_id?: string | undefined },
): Promise<Place> {
  const roles = await rolesOf(db, callerId(request));
  const known = roles.departments.find(
    (each) =>
      each.organization_id === (organization_id ?? each.organization_id) &&
      each.department_id === (department_id ?? each.department_id),
  );
  const organization = known?.organization_id ?? organization_id;
  // Owners have a role even while the organization has no department.
  const hasRole = known || (department_id === undefined && organization && roles.owned.has(organization));
  if (!organization || !hasRole) throw new AppError('notFound');
  const place = { organization_id: organization, department_id: department_id ?? null };
  if (!administers(roles, place)) throw new AppError('forbidden');
  if (isWrite(request)) refuseArchived(archivedPlace(roles, place));
  return place;
}
