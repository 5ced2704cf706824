import { launch } from '../test/fixtures/launcher.ts';
import { inTurns, load } from './load.ts';
import { startPeer } from './peer.ts';

/** The stylesheet of the account pages, relative to @fastify/static alone. */
export async function pages(): Promise<void> {
  const bare = await startPeer('fastify-static');
  const gatehouse = await launch();
  try {
    await gatehouse.up;
    const page = await (await fetch(gatehouse.gateway)).text();
    const asset = /\/assets\/style\.[\w.-]+/.exec(page)?.[0];
    const [limit = 0, rate = 0, document = 0] = await inTurns(
      3,
      () => load(`${bare.url}/style.css`),
      () => load(`${gatehouse.gateway}${asset}`),
      () => load(`${gatehouse.gateway}/login`),
    );
    console.log(`  @fastify/static   ${limit.toFixed(0)} requests/s`);
    console.log(
      `  an asset          ${rate.toFixed(0)} requests/s, ${(rate / limit).toFixed(2)} of @fastify/static`,
    );
    console.log(`  a page            ${document.toFixed(0)} requests/s`);
  } finally {
    bare.stop();
    await gatehouse.stop();
  }
}
