import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';

test('docs/ROUTES.md is what npm run routes prints', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('../../commands/routes.ts');
  const printed = log.mock.lastCall?.[0];
  log.mockRestore();
  expect(await readFile('docs/ROUTES.md', 'utf8')).toBe(`${printed}\n`);
});
