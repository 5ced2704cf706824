import { derivedId } from '@gatehouse/shared/derived-id';
import { auditJob } from '@gatehouse/shared/identity/audit';
import type { FastifyBaseLogger } from 'fastify';
import type { SsoOptions } from '../dependencies.ts';
import { releaseDomains } from '../domains/bound-connection.ts';
import { endConnectionSessions } from '../login/end-sessions.ts';
import { releaseStranded } from './stranded-domains.ts';

/** Removes a connection whose deletion has begun, after ending the sessions that began at it. Idempotent. */
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
export async function removeInterrupted(
  options: Pick<SsoOptions, 'config' | 'db' | 'now'> & { log: FastifyBaseLogger },
): Promise<void> {
  const { db, now, log } = options;
  const begun = await db.ssoConnections.find({ deleted_at: { $exists: true } }).toArray();
  for (const connection of begun) {
    const { connection_id, released_by, deleted_at = new Date(0) } = connection;
    const record = (released: { target: { domain_id?: string } }) => {
      const name = `${connection_id} domain.update ${released.target.domain_id}`;
      const event_id = derivedId(deleted_at.getTime(), name);
      const event = { event_id, action: 'domain.update' as const, ...released_by, ...released };
      return auditJob(db, { id: connection_id, log }, now(), [event]);
    };
    if (released_by) await releaseStranded(options, connection, record, { deleting: true });
    await removeConnection(options, connection_id);
  }
}
