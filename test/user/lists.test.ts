import type { Collection, Document } from 'mongodb';
import { expect, test } from 'vitest';
import { readPage } from '../../services/user/lists.ts';

/** A collection in which others write between two counts. */
const counting = (found: number, ...counts: number[]) =>
  ({
    find: () => ({ project: () => ({ toArray: async () => Array.from({ length: found }, () => ({})) }) }),
    countDocuments: async () => counts.shift(),
  }) as unknown as Collection<Document>;

const table = { filters: {}, searched: () => ({}), unique: 'id' };
const query = { page: 3, limit: 2, sort_by: 'id', order: 'asc' } as const;

test.each([
  ['what is taken off was written after the whole was counted', counting(0, 0, 1), 0],
  ['a page holds more than was counted', counting(2, 3, 0), 6],
  ['nothing of the kind', counting(2, 9, 1), 8],
])('total_items: %s', async (_what, collection, total_items) => {
  const { pagination } = await readPage(collection, table, [{ within: {}, except: [{}] }], query);
  expect(pagination).toMatchObject({ total_items, total_pages: Math.ceil(total_items / 2) });
});
