import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A call that writes to the collection, however it is broken across lines. */
const WRITE =
  /\bmemberships\s*\.\s*(?:insert|update|delete|replace|findOneAnd|bulkWrite|rename|drop|initialize)\w*/g;
/** Functions outside access/ that get the collection and only read it, or write through access/. */
const READERS = ['readPage', 'countBy', 'deleteInPages'];
const PASSED = /(\w+)\(\s*\w+\.memberships\s*,/g;

const sources = globSync(['services/**/*.ts', 'packages/*/src/**/*.ts', 'commands/**/*.ts'], {
  exclude: ['**/node_modules/**', 'services/user/access/**'],
}).map((path) => ({ path, text: readFileSync(path, 'utf8') }));

test('only access/ writes memberships', () => {
  const writers = sources.flatMap(({ path, text }) =>
    (text.match(WRITE) ?? []).map((call) => `${path}: ${call}`),
  );
  const takers = sources.flatMap(({ path, text }) =>
    [...text.matchAll(PASSED)]
      .filter(([, name = '']) => !READERS.includes(name))
      .map(([call]) => `${path}: ${call}`),
  );
  expect(sources.length).toBeGreaterThan(300);
  expect([...writers, ...takers]).toEqual([]);
});

test('recognizes a write', () => {
  const samples = [
    'db.memberships.insertOne({})',
    'db.memberships\n  .findOneAndUpdate({})',
    'memberships.bulkWrite([])',
  ];
  expect(samples.map((text) => text.match(WRITE)?.length)).toEqual([1, 1, 1]);
  expect('db.memberships.findOne({})'.match(WRITE)).toBeNull();
});
