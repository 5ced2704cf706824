import { newSessionId } from '@gatehouse/shared/identity/tokens';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import type { Account } from '../host.ts';
import type { ProviderSession } from '../records.ts';

/** A session as its login describes it. */
export interface BeginningSession
  extends Pick<ProviderSession, 'subject' | 'provider_sid' | 'login_code' | 'valid_until' | 'username'> {
  /** A time before the account was read, in Unix milliseconds. A later end of its sessions ends this one too. */
  beganAt: number;
  /** Seals the refresh token of the provider for the session. */
  refreshToken?: (sid: string) => string;
}

/** Stores a session that begins at a provider, which may end it later. @returns its id for the token. */
export async function beginSession(
  { config, db }: Pick<SsoOptions, 'config' | 'db'>,
  { connection_id }: Connection,
  { user_id, sessions_valid_from }: Account,
  { beganAt, refreshToken, ...session }: BeginningSession,
): Promise<string> {
  // Taking an unverified signup over ends its sessions, not this one.
  const sid = newSessionId(Math.max(beganAt, (sessions_valid_from?.getTime() ?? 0) + 1));
  await db.ssoSessions.insertOne({
    connection_id,
    user_id,
    sid,
    ...session,
    ...(refreshToken && { refresh_token: refreshToken(sid) }),
    expires_at: new Date(beganAt + config.SESSION_MAX_HOURS * 3_600_000),
  });
  return sid;
}
