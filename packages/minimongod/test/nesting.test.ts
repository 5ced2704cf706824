import { Binary, type Document } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { type Doc, useDatabase } from './database.ts';

const database = useDatabase();
const collection = () => database.db.collection<Doc>('nested');

/** A document of so many levels; `leaf` is in the innermost. */
function nested(levels: number, leaf: unknown = 1): Document {
  let doc: Document = { a: leaf };
  for (let level = 1; level < levels; level += 1) doc = { a: doc };
  return doc;
}
const lists = (levels: number) => {
  let list: unknown[] = [];
  for (let level = 2; level < levels; level += 1) list = [list];
  return { list };
};

const overflow = { code: 15 };

describe('documents of up to 180 levels are stored', () => {
  test.each<[string, (levels: number) => Document]>([
    ['documents', nested],
    ['arrays', lists],
    ['documents around binary data', (levels) => nested(levels, new Binary(Buffer.from('x')))],
  ])('%s', async (_what, make) => {
    const { insertedId } = await collection().insertOne(make(180));
    expect(await collection().findOne({ _id: insertedId })).toMatchObject(make(180));
    const count = await collection().countDocuments();
    for (const levels of [181, 190, 1_000])
      await expect(collection().insertOne(make(levels))).rejects.toMatchObject(overflow);
    expect(await collection().countDocuments()).toBe(count);
    await expect(database.db.command({ ping: 1 })).resolves.toMatchObject({ ok: 1 });
  });
});

test('an update or replacement cannot exceed 180 levels', async () => {
  const before = { _id: 'updated', deep: nested(100) };
  await collection().insertOne(before);
  const filter = { _id: 'updated' };
  const path = `deep.${Array(100).fill('a').join('.')}`;
  const replacement = { deep: nested(180) };
  await expect(collection().replaceOne(filter, replacement)).rejects.toMatchObject(overflow);
  for (const update of [{ $set: { deep: nested(180) } }, [{ $set: { deep: nested(180) } }]])
    await expect(collection().updateOne(filter, update)).rejects.toMatchObject(overflow);
  await expect(collection().updateOne(filter, { $set: { [path]: nested(81) } })).rejects.toMatchObject(
    overflow,
  );
  await expect(collection().findOneAndUpdate(filter, { $set: { deep: nested(180) } })).rejects.toMatchObject(
    overflow,
  );
  expect(await collection().findOne(filter)).toEqual(before);
});

test('a command of more than 200 levels is refused, and its connection lives on', async () => {
  for (const levels of [199, 1_000, 5_000])
    await expect(
      database.db.command({ find: 'nested', filter: { x: nested(levels) } }),
    ).rejects.toMatchObject({ ...overflow, codeName: 'Overflow' });
  const filter = { x: nested(190) };
  await expect(database.db.command({ find: 'nested', filter })).resolves.toMatchObject({ ok: 1 });
});
