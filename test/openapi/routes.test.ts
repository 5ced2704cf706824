import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('docs/ROUTES.md is what npm run routes prints', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['commands/routes.ts']);
  expect(await readFile('docs/ROUTES.md', 'utf8')).toBe(stdout);
});
