import type { SsoOptions } from '../dependencies.ts';
import type { OidcConnection } from './options.ts';

/** Characters. Providers send a few hundred, or a JWT. */
const MAX_LENGTH = 16_384;

/** Whether a refresh token is stored. Without it the person logs in again after SSO_SESSION_HOURS. */
export const isSealable = (token: unknown): token is string =>
  typeof token === 'string' && token !== '' && token.length <= MAX_LENGTH;

/** A token opens only for its session, and only while the connection has the same issuer: no other issuer gets it. */
const recordId = ({ oidc }: OidcConnection, sid: string): string =>
  JSON.stringify([sid, oidc.issuer, oidc.client_id]);

export const sealRefreshToken = (
  { secrets }: Pick<SsoOptions, 'secrets'>,
  connection: OidcConnection,
  sid: string,
  token: string,
): string => secrets.seal(token, recordId(connection, sid));

/** @returns undefined if the connection has another issuer or client now, or the key is gone. */
export function openRefreshToken(
  { secrets }: Pick<SsoOptions, 'secrets'>,
  connection: OidcConnection,
  sid: string,
  sealed: string,
): string | undefined {
  try {
    return secrets.open(sealed, recordId(connection, sid));
  } catch {
    return undefined;
  }
}
