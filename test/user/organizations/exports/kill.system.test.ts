import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../../services/user/database.ts';
import { freshDatabase } from '../../../fixtures/database.ts';
import { eventually } from '../../../fixtures/eventually.ts';
import { createProcesses } from '../../../fixtures/processes.ts';
import { storeOrganization } from '../../access/store-organization.ts';
import { pendingExport } from '../store-export.ts';

const MEMBERS = 200;

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
});
afterAll(() => database.drop());

test('processes that are killed again and again complete an export without losing or repeating a row', async () => {
  const { db, uri } = database;
  const at = Date.now();
  const { departments } = await storeOrganization(db, {
    owners: ['User-1'],
    departments: ['One'],
    now: at,
  });
  const [{ organization_id, department_id }] = departments as [(typeof departments)[0]];
  const names = Array.from({ length: MEMBERS }, (_, index) => `User-${100_000 + index}`);
  await db.memberships.insertMany(
    names.map((user_id) => ({
      membership_id: randomUUIDv7(),
      organization_id,
      department_id,
      user_id,
      role: 'Viewer' as const,
      granted_by: 'User-1',
      granted_at: new Date(at).toISOString(),
    })),
  );
  const job = pendingExport({ organization_id, department_id, created_by: 'User-1' }, at);
  await db.exports.insertOne({ ...job });
  const { export_id } = job;

  const processes = createProcesses<'one' | 'two'>(() => ({
    script: new URL('worker-process.ts', import.meta.url).pathname,
    env: { MONGODB_URI: uri },
  }));
  try {
    await processes.start('one');
    await processes.start('two');
    for (const [name, rows] of [
      ['one', 20],
      ['two', 70],
      ['one', 120],
    ] as const) {
      await eventually(async () => ((await db.exports.findOne({ export_id }))?.rows_done ?? 0) >= rows);
      await processes.end(name);
      await processes.start(name);
    }
    await eventually(async () => (await db.exports.findOne({ export_id }))?.status === 'ready');
  } finally {
    await Promise.all([processes.end('one'), processes.end('two')]);
  }

  const chunks = await db.exportChunks.find({ export_id }).sort({ seq: 1 }).toArray();
  const text = Buffer.concat(chunks.map(({ content }) => content.value())).toString();
  expect(JSON.parse(text).members.map(({ user_id }: { user_id: string }) => user_id)).toEqual(names);
  expect(await db.exports.findOne({ export_id })).toMatchObject({
    rows_done: MEMBERS,
    rows_total: MEMBERS,
    files: [{ file: 'all', size: Buffer.byteLength(text), rows: MEMBERS }],
  });
});
