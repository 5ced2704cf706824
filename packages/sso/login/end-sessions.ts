import { endSession, lastExpiry } from '@gatehouse/shared/identity/sessions';
import { startOf } from '@gatehouse/shared/identity/tokens';
import type { SsoOptions } from '../dependencies.ts';
import type { ProviderSession } from '../records.ts';

/** Names sessions that began at a connection, by their id at the provider, by the person, or by both. */
export type EndedAtProvider = Pick<ProviderSession, 'connection_id'> &
  (
    | { provider_sid: string; subject?: string }
    | { provider_sid?: string; subject: string }
    | { user_id: string }
    | { sid: string }
  );

/**
 * Ends sessions because their provider says so. Other sessions of the account, with a password or through another
 * connection, go on. Every process refuses the tokens from now on, and a code that is not exchanged yet is void.
 * @returns the sessions that have ended.
 */
export async function endProviderSessions(
  { config, db, now }: Pick<SsoOptions, 'config' | 'db' | 'now'>,
  ended: EndedAtProvider,
): Promise<ProviderSession[]> {
  const sessions = await db.ssoSessions.find({ ...ended }).toArray();
  for (const { _id, user_id, sid } of sessions) {
    const user = await db.users.findOne({ user_id }, { projection: { _id: 1 } });
    const session = { id: sid, hasId: true, beganAt: startOf(sid) };
    const maxAge = config.SESSION_MAX_HOURS * 3_600_000;
    const until = lastExpiry(session, { expiresAt: 0, maxAge, now: now() });
    if (user) await endSession(db.users, user._id, session, until, now());
    // Last: the provider's next attempt completes an interrupted call.
    await db.ssoSessions.deleteOne({ _id });
  }
  return sessions;
}

/** Ends every session that began at a connection. Idempotent. */
export async function endConnectionSessions(
  options: Pick<SsoOptions, 'config' | 'db' | 'now'>,
  connection_id: string,
): Promise<void> {
  const people: string[] = await options.db.ssoSessions.distinct('user_id', { connection_id });
  for (const user_id of people) await endProviderSessions(options, { connection_id, user_id });
}
