import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';
import { isWrite, refuseArchived } from '../../access/archived.ts';
import { rolesOf } from '../../access/roles.ts';
import type { Database } from '../../database.ts';
import { hasSsoPlan } from '../plan.ts';
import type { Connection } from '../records.ts';

/**
 * Checks that the caller is an Owner of an organization, which is not archived if the call writes.
 * @throws {AppError} notFound if they have no role in it, forbidden if they have another one or it is archived.
 */
export async function requireOwner(
  db: Database,
  request: FastifyRequest,
  organization_id: string,
): Promise<void> {
  const { owned, departments, archived } = await rolesOf(db, callerId(request));
  if (owned.has(organization_id)) {
    if (isWrite(request)) refuseArchived(archived.get(organization_id));
    return;
  }
  const hasRole = departments.some((department) => department.organization_id === organization_id);
  throw new AppError(hasRole ? 'forbidden' : 'notFound');
}

/** @throws {AppError} forbidden, in words, without the plan. */
export async function requirePlan(
  { db, now }: { db: Database; now: () => number },
  organization_id: string,
): Promise<void> {
  if (await hasSsoPlan(db, organization_id, now())) return;
  throw new AppError('forbidden', {
    text: 'Single sign-on needs the Enterprise plan: paid for a department, or held by an Owner of the organization',
  });
}

/**
 * Returns a connection of an organization that the caller owns.
 * @throws {AppError} notFound or forbidden, like `requireOwner`.
 */
export async function ownedConnection(
  db: Database,
  request: FastifyRequest,
  connection_id: string,
): Promise<Connection> {
  const connection = orNotFound(
    await db.ssoConnections.findOne({ connection_id, deleted_at: { $exists: false } }),
  );
  await requireOwner(db, request, connection.organization_id);
  return connection;
}
