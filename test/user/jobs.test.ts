import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { JOBS, MARKS, REPAIRS } from '../../services/user/jobs.ts';

const page = await readFile('docs/ARCHITECTURE.md', 'utf8');
const section = page.split('\n## What happens after kill -9\n')[1]?.split('\n## ')[0] ?? '';

test('the architecture page lists every job with its interval', () => {
  const rows = [...section.matchAll(/^\| (.+?) +\| ([\d.]+) s +\|/gm)].map(([, name, every]) => [
    name,
    Number(every),
  ]);
  expect(rows).toStrictEqual(Object.entries(JOBS).map(([name, { every }]) => [name, every / 1000]));
});

test('the architecture page lists every repair in its order', () => {
  const items = [...section.matchAll(/^\d+\. (.+)$/gm)].map(([, name]) => name);
  expect(items).toStrictEqual([...REPAIRS]);
});

test('the architecture page lists every mark with who completes it', () => {
  const rows = [...section.matchAll(/^\| (`[a-z_.`, ]+`) +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, mark = '', means, by]) => [mark.replaceAll('`', ''), means, by],
  );
  expect(rows).toStrictEqual(
    Object.entries(MARKS).map(([mark, { means, completedBy }]) => [mark, means, completedBy ?? '—']),
  );
});
