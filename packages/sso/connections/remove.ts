import type { Database } from '../database.ts';
import type { SsoOptions } from '../dependencies.ts';
import { releaseDomains } from '../domains/bound-connection.ts';
import { endConnectionSessions } from '../login/end-sessions.ts';

/**
 * Removes a connection whose deletion has begun, after ending the sessions that began at it. May be repeated.
 */
export async function removeConnection(
  options: Pick<SsoOptions, 'config' | 'db' | 'now'>,
  connection_id: string,
): Promise<void> {
  const { db } = options;
  await endConnectionSessions(options, connection_id);
  const connection = await db.ssoConnections.findOne({ connection_id });
  if (connection) await releaseDomains(db, { organization_id: connection.organization_id, connection_id });
  await Promise.all([
    db.ssoIdentities.deleteMany({ connection_id }),
    db.scimGroups.deleteMany({ connection_id }),
    db.ssoFlows.deleteMany({ connection_id }),
  ]);
  await db.ssoConnections.deleteOne({ connection_id });
}

/** Completes deletions that were interrupted. */
export async function removeInterrupted(options: Pick<SsoOptions, 'config' | 'db' | 'now'>): Promise<void> {
  const begun = await connectionsBeingDeleted(options.db);
  for (const connection_id of begun) await removeConnection(options, connection_id);
}

const connectionsBeingDeleted = (db: Database): Promise<string[]> =>
  db.ssoConnections.distinct('connection_id', { deleted_at: { $exists: true } });
