import type { IncomingHttpHeaders } from 'node:http';

/**
 * The cookie that holds the token of a session (CONTRACT.md §Cookie sessions). Browsers take a name with `__Host-` only
 * from this host itself, over HTTPS or on localhost, so that no other host of the domain can set it.
 */
export const SESSION_COOKIE = '__Host-gatehouse-session';

/** With Strict, a link from another site would open an app in which the person seems to be logged out. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** A machine key is none of these: it is accepted in the Authorization header alone. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** @param maxAge seconds. */
export const sessionCookie = (token: string, maxAge: number): string =>
  `${SESSION_COOKIE}=${token}; Max-Age=${maxAge}; ${ATTRIBUTES}`;

export const CLEARED_COOKIE = `${SESSION_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;

/**
 * Takes the session cookie out of the headers of a request, so that no service behind the gateway sees it.
 * @returns its token; an empty one if there are two such cookies, or if it holds anything else; undefined without one.
 */
export function takeSessionCookie(headers: IncomingHttpHeaders): string | undefined {
  if (!headers.cookie?.includes(SESSION_COOKIE)) return undefined;
  const pairs = headers.cookie.split(';').map((pair) => pair.trim());
  const { own = [], other = [] } = Object.groupBy(pairs, (pair) =>
    pair.split('=', 1)[0]?.trim() === SESSION_COOKIE ? 'own' : 'other',
  );
  if (own.length === 0) return undefined;
  if (other.length > 0) headers.cookie = other.join('; ');
  else delete headers.cookie;
  const value = own[0]?.slice(own[0].indexOf('=') + 1).trim() ?? '';
  // One of two is not ours, and nobody can tell which.
  return own.length === 1 && JWT.test(value) ? value : '';
}
