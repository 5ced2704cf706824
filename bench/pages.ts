import { launch } from '../test/fixtures/launcher.ts';
import { load } from './load.ts';
import { startPeer } from './peer.ts';
import { compare, LIMITS } from './report.ts';

/** The stylesheet of the account pages, relative to @fastify/static alone. */
export async function pages(): Promise<void> {
  const bare = await startPeer('fastify-static');
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    const page = await (await fetch(gatehouse.gateway)).text();
    const asset = /\/assets\/style\.[\w.-]+/.exec(page)?.[0];
    await compare('pages', {
      chart: LIMITS,
      unit: 'requests/s',
      rounds: 5,
      measures: {
        '@fastify/static': () => load(`${bare.url}/style.css`),
        'an asset of the pages': () => load(`${gatehouse.gateway}${asset}`),
        'a page': () => load(`${gatehouse.gateway}/login`),
      },
      ratios: [{ of: 'an asset of the pages', over: '@fastify/static', goal: 0.8 }],
    });
  } finally {
    bare.stop();
    await gatehouse.stop();
  }
}
