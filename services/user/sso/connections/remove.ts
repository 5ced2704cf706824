import { endSession } from '@gatehouse/shared/identity/sessions';
import { LIFETIME } from '@gatehouse/shared/identity/tokens';
import type { Database } from '../../database.ts';
import type { SsoOptions } from '../options.ts';

/**
 * Removes a connection whose deletion has begun, after ending the sessions that began at it. May be repeated.
 */
export async function removeConnection(
  options: Pick<SsoOptions, 'db' | 'now'>,
  connection_id: string,
): Promise<void> {
  const { db } = options;
  await endSessions(options, connection_id);
  await Promise.all([
    db.ssoIdentities.deleteMany({ connection_id }),
    db.ssoFlows.deleteMany({ connection_id }),
    db.ssoLoginCodes.deleteMany({ connection_id }),
  ]);
  await db.ssoConnections.deleteOne({ connection_id });
}

/** Completes deletions that were interrupted. */
export async function removeInterrupted(options: Pick<SsoOptions, 'db' | 'now'>): Promise<void> {
  const begun = await connectionsBeingDeleted(options.db);
  for (const connection_id of begun) await removeConnection(options, connection_id);
}

const connectionsBeingDeleted = (db: Database): Promise<string[]> =>
  db.ssoConnections.distinct('connection_id', { deleted_at: { $exists: true } });

/** Ends the sessions that began at a connection. */
async function endSessions(
  { db, now }: Pick<SsoOptions, 'db' | 'now'>,
  connection_id: string,
): Promise<void> {
  for await (const { _id, user_id, sid, expires_at } of db.ssoSessions.find({ connection_id })) {
    const user = await db.users.findOne({ user_id }, { projection: { _id: 1 } });
    const until = expires_at.getTime() + LIFETIME.catalogue * 1000;
    if (user) await endSession(db.users, user._id, { id: sid, hasId: true, beganAt: 0 }, until, now());
    await db.ssoSessions.deleteOne({ _id });
  }
}
