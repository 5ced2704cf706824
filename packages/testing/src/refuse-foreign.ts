import type { FastifyRequest } from 'fastify';

/** The names of this machine that a client can call a server on loopback by. */
const OWN_HOSTS = new Set(['127.0.0.1', 'localhost']);

/**
 * Refuses what a page in a browser of this machine sends: the control hands out sessions. The Host header stops DNS
 * rebinding, where the name of a stranger's site resolves to this machine.
 * @throws an Error with the status 403.
 */
export function refuseForeign({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): void {
  const { host = '', origin } = headers;
  const [, name = '', given] = /^([^:]+):(\d+)$/.exec(host) ?? [];
  const fetchSite = headers['sec-fetch-site'];
  const isForeign =
    !OWN_HOSTS.has(name) ||
    given !== String(socket.localPort) ||
    // No page has business here: tests call from Node, Python and the like.
    origin !== undefined ||
    (fetchSite !== undefined && fetchSite !== 'none');
  if (isForeign) throw Object.assign(new Error('only clients on this machine may call'), { statusCode: 403 });
}
