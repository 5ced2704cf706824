import { launch } from '../test/fixtures/launcher.ts';
import { bearer, createAccount } from './account.ts';
import { inTurns, load } from './load.ts';
import { startPeer } from './peer.ts';

/** Requests a second through the gateway, relative to a bare @fastify/http-proxy with the same upstream. */
export async function gateway(): Promise<void> {
  const upstream = await startPeer('fastify-route');
  const proxy = await startPeer('http-proxy', upstream.url);
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', UPSTREAM_HISTORY: upstream.url } });
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    const headers = { authorization: await bearer(gatehouse.login) };
    const path = '/api/v1/history/conversations';
    const [limit = 0, rate = 0] = await inTurns(
      5,
      () => load(proxy.url + path, { headers }),
      () => load(gatehouse.gateway + path, { headers }),
    );
    console.log(`  bare http-proxy  ${limit.toFixed(0)} requests/s`);
    console.log(
      `  gateway          ${rate.toFixed(0)} requests/s, ${(rate / limit).toFixed(2)} of bare http-proxy`,
    );
  } finally {
    upstream.stop();
    proxy.stop();
    await gatehouse.stop();
  }
}
