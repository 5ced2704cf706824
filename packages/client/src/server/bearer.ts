/** A web `Request`, or one of Node, Express or Fastify. */
export interface AnyRequest {
  method?: string | undefined;
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Where the gateway keeps the token of a session in cookie mode (CONTRACT.md §Cookie sessions). */
const COOKIE = '__Host-gatehouse-session';

/**
 * Returns the token of a request: of its Authorization header or else, if a page at one of these origins made the call,
 * of the cookie. A call that changes something is made by such a page only if its `Origin` says so.
 */
export function bearerOf(request: AnyRequest, cookieOrigins: readonly string[]): string | undefined {
  const authorization = headerOf(request, 'authorization');
  if (authorization !== undefined) return authorization.replace(/^Bearer /i, '') || undefined;
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const origin = headerOf(request, 'origin');
  const isOwn = origin === undefined ? isSafe : cookieOrigins.includes(origin);
  if (cookieOrigins.length === 0 || !isOwn) return undefined;
  const cookies = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  const [own, ...more] = cookies.filter((pair) => pair.startsWith(`${COOKIE}=`));
  // One of two is not ours, and nobody can tell which.
  return more.length > 0 ? undefined : own?.slice(COOKIE.length + 1) || undefined;
}

export function headerOf({ headers }: Pick<AnyRequest, 'headers'>, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}
