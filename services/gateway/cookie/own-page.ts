import type { FastifyRequest } from 'fastify';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Returns whether a call comes from a page that may use the session cookie (CONTRACT.md §Cookie sessions). Scripts can set
 * neither of the two headers. A call without both may read: browsers send Origin with every unsafe method, and with
 * SameSite=Lax those that know no Fetch Metadata send the cookie from other sites only when they follow a link.
 * @param origins the origins whose pages may.
 */
export function isOwnPage(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  origins: ReadonlySet<string>,
): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site === 'same-origin') return true;
  if (origin !== undefined) return origins.has(origin);
  // `none`: the person typed the address, or opened a bookmark.
  return SAFE.has(method) && (site === undefined || site === 'none');
}
