import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

test.each([
  ['packages/client/src/client.ts', 8 * 1024],
  ['packages/client/src/react.ts', 1024],
])('%s and what it imports has at most %d bytes for a browser, compressed', async (input, most) => {
  const bundle = await rolldown({ input, platform: 'browser', external: ['react'] });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(most);
});
