import { readPage } from '@gatehouse/shared/operation/lists';
import type { Collection, Document } from 'mongodb';
import { expect, test } from 'vitest';

/** A collection whose counts disagree, as they do while others write. */
const counting = (found: number, ...counts: number[]) =>
  ({
    find: () => ({ project: () => ({ toArray: async () => Array.from({ length: found }, () => ({})) }) }),
    countDocuments: async () => counts.shift(),
  }) as unknown as Collection<Document>;

const table = { filters: {}, search: () => ({}), unique: 'id' };
const query = { page: 3, limit: 2, sort_by: 'id', order: 'asc' } as const;

test.each([
  ['is not negative when the exceptions outnumber their part', counting(0, 0, 1), 0],
  ['covers the page that was read', counting(2, 3, 0), 6],
  ['subtracts the exceptions', counting(2, 9, 1), 8],
])('total_items %s', async (_what, collection, total_items) => {
  const { pagination } = await readPage(collection, table, [{ within: {}, except: [{}] }], query);
  expect(pagination).toMatchObject({ total_items, total_pages: Math.ceil(total_items / 2) });
});
