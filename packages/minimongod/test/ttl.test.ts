import type { Document } from 'mongodb';
import { expect, test } from 'vitest';
import { type Doc, REAL_MONGODB, useDatabase } from './database.ts';

const database = useDatabase({ ttlInterval: 5 });

// A real MongoDB sweeps once a minute.
const timeout = REAL_MONGODB ? 130_000 : 30_000;

test('deletes documents whose date is older than the index allows', { timeout: timeout + 5000 }, async () => {
  const c = database.db.collection<Doc>('sessions');
  await c.createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
  await c.createIndex({ until: -1 }, { expireAfterSeconds: 0, partialFilterExpression: { kind: 'short' } });
  const past = new Date(Date.now() - 3_601_000);
  const future = new Date(Date.now() + 3_600_000);
  await c.insertMany([
    // More documents than one step of the sweep deletes.
    ...Array.from({ length: 500 }, () => ({ at: past })),
    { _id: 'fresh', at: new Date() },
    { _id: 'future', at: future },
    { _id: 'no date', at: 'x' },
    { _id: 'number', at: 5 },
    { _id: 'none' },
    { _id: 'one of two', at: [future, past] },
    { _id: 'short', kind: 'short', until: past },
    { _id: 'short but live', kind: 'short', until: future },
    { _id: 'long', kind: 'long', until: past },
  ] as Document[]);
  const left = async () => (await c.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
  await expect
    .poll(left, { timeout, interval: 20 })
    .toEqual(['fresh', 'future', 'long', 'no date', 'none', 'number', 'short but live']);
});
