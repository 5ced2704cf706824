import { launch } from '../test/fixtures/launcher.ts';
import { bearer, createAccount } from './account.ts';
import { load } from './load.ts';
import { startPeer } from './peer.ts';
import { compare, LIMITS } from './report.ts';

/** Requests a second through the gateway, relative to a bare @fastify/http-proxy with the same upstream. */
export async function gateway(): Promise<void> {
  const upstream = await startPeer('fastify-route');
  const proxy = await startPeer('http-proxy', upstream.url);
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', UPSTREAM_HISTORY: upstream.url } });
  const toUserService = await startPeer('http-proxy', gatehouse.user);
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    const headers = { authorization: await bearer(gatehouse.login) };
    const path = '/api/v1/history/conversations';
    const through = (origin: string, target: string) => () =>
      load(origin + target, { headers, connections: 64 });
    await compare('gateway', {
      chart: LIMITS,
      unit: 'requests/s',
      rounds: 5,
      measures: {
        'http-proxy to a platform service': through(proxy.url, path),
        'gateway to a platform service': through(gatehouse.gateway, path),
        'http-proxy to the user service': through(toUserService.url, '/api/v1/users/me'),
        'gateway to the user service': through(gatehouse.gateway, '/api/v1/users/me'),
      },
      ratios: [
        { of: 'gateway to a platform service', over: 'http-proxy to a platform service', goal: 0.85 },
        { of: 'gateway to the user service', over: 'http-proxy to the user service', goal: 1 },
      ],
    });
  } finally {
    for (const peer of [upstream, proxy, toUserService]) peer.stop();
    await gatehouse.stop();
  }
}
