import { decodeJwt, type JWTPayload } from 'jose';
import type { EndedAtProvider } from '../login/end-sessions.ts';
import { SsoRefusal } from '../refusal.ts';
import { pinnedAlgorithms } from './algorithms.ts';
import { clientOf } from './oidc-client.ts';
import type { OidcRoutes } from './operation.ts';
import { CLOCK_TOLERANCE, type OidcConnection } from './options.ts';
import { refusalOf } from './refusal-of.ts';
import { verifyToken } from './verify-token.ts';

/** Seconds after which a logout token is too old. */
const MAX_AGE = 300;

/** The most audiences that a logout token may list. Providers list one. */
const MAX_AUDIENCES = 10;

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Most providers send none or `logout+jwt`. */
const TYPES = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];

/** Returns the issuer and the audiences that a token claims, unverified. @throws {SsoRefusal} message malformed. */
export function claimedParties(token: string): { iss: string; aud: string[] } {
  let payload: JWTPayload;
  try {
    payload = decodeJwt(token);
  } catch (error) {
    throw new SsoRefusal('message malformed', 'the logout token is not a JWT', error);
  }
  const { iss, aud } = payload;
  const audiences = [aud]
    .flat()
    .filter((audience) => typeof audience === 'string')
    .slice(0, MAX_AUDIENCES);
  if (typeof iss !== 'string' || audiences.length === 0)
    throw new SsoRefusal('message malformed', 'the logout token has no "iss" or no "aud"');
  return { iss, aud: audiences };
}

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6).
 * @returns what has ended, the token's id, and until when it is accepted in Unix milliseconds.
 * @throws {SsoRefusal}
 */
export async function verifyLogoutToken(
  { options, providerOf }: OidcRoutes,
  connection: OidcConnection,
  token: string,
): Promise<{ ended: EndedAtProvider; jti: string; until: number }> {
  const client = clientOf(options, connection);
  const { keysForStrangers: keys, metadata } = await providerOf(client);
  const { payload, protectedHeader } = await verifyToken(options, client, { keys }, token, {
    maxAge: MAX_AGE,
    algorithms: pinnedAlgorithms(connection, metadata),
  }).catch((error) => {
    throw refusalOf(error);
  });
  const { jti, sid, sub, events, nonce, iat = 0 } = payload;
  const refuse = (detail: string): never => {
    throw new SsoRefusal('message refused', `the logout token ${detail}`);
  };
  if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) refuse('is a token of another type');
  if (!isObject(events) || !isObject(events[EVENT])) refuse('has no event of back-channel logout');
  // An ID token is no logout token.
  if (nonce !== undefined) refuse('has a "nonce"');
  if (!isText(jti)) return refuse('has no "jti"');
  const { connection_id } = connection;
  const subject = isText(sub) ? { subject: sub } : {};
  const until = (iat + MAX_AGE + CLOCK_TOLERANCE) * 1000;
  // With both, one session of the person has ended.
  if (isText(sid)) return { ended: { connection_id, provider_sid: sid, ...subject }, jti, until };
  if (isText(sub)) return { ended: { connection_id, subject: sub }, jti, until };
  return refuse('has neither "sid" nor "sub"');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
