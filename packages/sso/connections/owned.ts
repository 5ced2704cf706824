import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import type { FastifyRequest } from 'fastify';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';

/** @throws {AppError} forbidden, with a text of its own, without the plan. */
export async function requirePlan(
  { host }: Pick<SsoOptions, 'host'>,
  organization_id: string,
): Promise<void> {
  if (await host.hasPlan(organization_id)) return;
  throw new AppError('forbidden', {
    text: 'Single sign-on needs the Enterprise plan: paid for a department, or held by an Owner of the organization',
  });
}

/**
 * Returns a connection of an organization that the caller owns.
 * @throws {AppError} notFound or forbidden, like `host.requireOwner`.
 */
export async function ownedConnection(
  { db, host }: Pick<SsoOptions, 'db' | 'host'>,
  request: FastifyRequest,
  connection_id: string,
): Promise<Connection> {
  const connection = orNotFound(
    await db.ssoConnections.findOne({ connection_id, deleted_at: { $exists: false } }),
  );
  await host.requireOwner(request, connection.organization_id);
  return connection;
}
