import { AppError } from '@gatehouse/shared/http/errors';
import { line } from '@gatehouse/shared/http/fields';
import type { Database } from '../database.ts';

/** The field that binds a domain to a connection. */
export const boundConnectionId = line(200).nullable().exactOptional().meta({
  description: 'A connection of the organization, where people of the domain log in; null for the oldest',
});

/** @throws {AppError} invalidFormat unless the connection is one of the organization. */
export async function requireOwnConnection(
  db: Database,
  organization_id: string,
  connection_id: string | null | undefined,
): Promise<void> {
  if (connection_id === null || connection_id === undefined) return;
  const own = { connection_id, organization_id, deleted_at: { $exists: false } };
  if (await db.ssoConnections.findOne(own, { projection: { _id: 1 } })) return;
  throw new AppError('invalidFormat', { text: 'connection_id must be a connection of the organization' });
}

/** Releases the domains that are bound to a connection. */
export const releaseDomains = (db: Database, bound: { organization_id: string; connection_id: string }) =>
  db.ssoDomains.updateMany(bound, { $unset: { connection_id: true } });

/**
 * Checks the connection again once a domain is bound to it: a deletion marks the connection first, and then releases
 * the domains that it finds.
 */
export async function keepBound(
  db: Database,
  organization_id: string,
  connection_id: string | null | undefined,
): Promise<void> {
  try {
    await requireOwnConnection(db, organization_id, connection_id);
  } catch (error) {
    await releaseDomains(db, { organization_id, connection_id: String(connection_id) });
    throw error;
  }
}
