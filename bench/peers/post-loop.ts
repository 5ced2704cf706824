import { Pool } from 'undici';

/** The peer of webhooks: a loop that only POSTs. It prints the answered requests a second. */
const [, url = '', seconds = '4', body = ''] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: 16 });
console.log('up');
const headers = { 'content-type': 'application/json' };
const end = performance.now() + Number(seconds) * 1000;
let count = 0;
const loop = async () => {
  while (performance.now() < end) {
    const answer = await pool.request({ path: pathname, method: 'POST', headers, body });
    await answer.body.dump();
    count += 1;
  }
};
await Promise.all(Array.from({ length: 16 }, loop));
console.log(count / Number(seconds));
await pool.close();
