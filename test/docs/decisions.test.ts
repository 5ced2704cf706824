import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('every decision has a heading of its own below its room, and every heading a text', async () => {
  const page = await readFile('docs/DECISIONS.md', 'utf8');
  const [, ...rooms] = page.split(/^## /m);
  const decisions = rooms.flatMap((room) => {
    const [name, ...below] = room.split(/^### /m);
    expect(name?.trim().split('\n'), 'text between a room and its first decision').toHaveLength(1);
    return below.map((decision) => decision.split('\n\n', 2));
  });
  expect(new Set(decisions.map(([title]) => title)).size).toBe(decisions.length);
  for (const [title, text = ''] of decisions) expect(text.trim(), title).not.toBe('');
});
