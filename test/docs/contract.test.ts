import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('no paragraph, list item or cell of the contract is longer than 400 characters', async () => {
  const page = await readFile('docs/CONTRACT.md', 'utf8');
  const prose = page.replaceAll(/^```.*?^```$/gms, '').split('\n');
  const parts = prose.flatMap((line) => (line.startsWith('|') ? line.split('|') : [line]));
  expect(parts.filter((part) => part.trim().length > 400)).toStrictEqual([]);
});
