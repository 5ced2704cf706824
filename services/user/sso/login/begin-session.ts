import { newSessionId } from '@gatehouse/shared/identity/session-id';
import type { SsoOptions } from '../options.ts';
import type { Account } from '../provisioning/account.ts';
import type { Connection, ProviderSession } from '../records.ts';

/**
 * Stores a session that begins at a provider, so that the provider can end it. @returns its id for the token.
 * @param session.beganAt before the account was read, so that whatever ends its sessions meanwhile ends this one;
 * Unix milliseconds.
 * @param session.provider_sid by which the provider will end the session.
 * @param session.login_code which a browser exchanges for the token.
 */
export async function beginSession(
  { config, db }: Pick<SsoOptions, 'config' | 'db'>,
  { connection_id }: Connection,
  { user_id, sessions_valid_from }: Account,
  {
    beganAt,
    subject,
    provider_sid,
    login_code,
  }: Pick<ProviderSession, 'subject' | 'login_code'> & {
    beganAt: number;
    provider_sid?: string | undefined;
  },
): Promise<string> {
  // Taking an unverified signup over ends its sessions, not this one.
  const sid = newSessionId(Math.max(beganAt, (sessions_valid_from?.getTime() ?? 0) + 1));
  await db.ssoSessions.insertOne({
    connection_id,
    subject,
    ...(provider_sid !== undefined && { provider_sid }),
    user_id,
    sid,
    ...(login_code && { login_code }),
    expires_at: new Date(beganAt + config.SESSION_MAX_HOURS * 3_600_000),
  });
  return sid;
}
