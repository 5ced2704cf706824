import { randomUUIDv7 } from 'node:crypto';
import fc from 'fast-check';
import type { WithId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { COLLECTIONS, type Database } from '../../../../services/user/database.ts';
import { claim, createExportLease, fail } from '../../../../services/user/organizations/exports/lease.ts';
import type { ExportJob } from '../../../../services/user/organizations/exports/records.ts';
import { createExportWorker } from '../../../../services/user/organizations/exports/worker.ts';
import {
  lastWritten,
  type Written,
  writeChunk,
} from '../../../../services/user/organizations/exports/write-chunk.ts';
import { testClock } from '../../../fixtures/clock.ts';
import { freshDatabase } from '../../../fixtures/database.ts';
import { eventually } from '../../../fixtures/eventually.ts';
import { runs } from '../../../fixtures/property.ts';
import { storeOrganization } from '../../access/store-organization.ts';
import { pendingExport } from '../store-export.ts';

const LEASE = 30_000;
const LIMITS = { rows: 3, bytes: 1_000_000 };
const log = { warn: () => {}, error: () => {} };

let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, drop } = await freshDatabase(COLLECTIONS));
});
afterAll(() => drop());

const clock = testClock();
let place: { organization_id: string; department_id: string };
let job: ExportJob;
beforeEach(() => begin(0));

/** Stores a department with members 0 to `members` - 1, and a pending export of it. */
async function begin(members: number, fields: Partial<ExportJob> = {}): Promise<void> {
  await db.exports.deleteMany({});
  const { departments } = await storeOrganization(db, {
    owners: ['User-1'],
    departments: ['One'],
    now: clock.now(),
  });
  const [{ organization_id, department_id }] = departments as [(typeof departments)[0]];
  place = { organization_id, department_id };
  for (let index = 0; index < members; index += 1) await join(index);
  job = pendingExport({ ...place, created_by: 'User-1' }, clock.now(), {
    data: ['members', 'invitations', 'billing'],
    ...fields,
  });
  await db.exports.insertOne({ ...job });
}

const nameOf = (index: number) => `User-${String(index).padStart(6, '0')}`;
const leave = (index: number) => db.memberships.deleteOne({ ...place, user_id: nameOf(index) });
async function join(index: number) {
  await leave(index);
  await db.memberships.insertOne({
    membership_id: randomUUIDv7(),
    ...place,
    user_id: nameOf(index),
    role: 'Viewer',
    granted_by: 'User-1',
    granted_at: new Date(clock.now()).toISOString(),
  });
}

const newWorker = (tuning = {}) =>
  createExportWorker({ db, now: clock.now, log, tuning: { ...LIMITS, leaseDuration: LEASE, ...tuning } });
const stored = async () => db.exports.findOne({ export_id: job.export_id });

/** Runs what is left of the export after the lease of a worker that was killed. */
async function complete(): Promise<void> {
  clock.advance(LEASE / 1000);
  await newWorker().run();
}

/** The chunks joined, as a download does. */
async function content() {
  const chunks = await db.exportChunks.find({ export_id: job.export_id }).sort({ seq: 1 }).toArray();
  expect(chunks.map(({ seq }) => seq)).toEqual(chunks.map((_, index) => index));
  const document = JSON.parse(Buffer.concat(chunks.map(({ content }) => content.value())).toString());
  const size = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  const members: string[] = document.members.map(({ user_id }: { user_id: string }) => user_id);
  const rows = members.length + document.invitations.length + document.billing.length;
  expect(await stored()).toMatchObject({
    status: 'ready',
    files: [{ file: 'all', size, rows }],
    rows_done: rows,
  });
  return members;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => nameOf(index));

describe('an export', () => {
  test.each([0, 1, 2, 3, 4, 6, 7])(
    'an export of %i members in chunks of three is complete',
    async (members) => {
      await begin(members);
      await newWorker().run();
      expect(await content()).toEqual(names(members));
      const { rows_total, due_at, running_slot } = (await stored()) as ExportJob;
      expect({ rows_total, due_at, running_slot }).toEqual({
        rows_total: members + 1,
        due_at: undefined,
        running_slot: undefined,
      });
    },
  );

  test('an export of an organization goes from its Owners through each department', async () => {
    await begin(4, { department_id: null, data: ['members', 'billing'] });
    const { organization_id } = place;
    const owner = (index: number) => ({ user_id: `Owner-${index}`, granted_by: 'x', granted_at: 'x' });
    await db.organizations.updateOne({ organization_id }, { $set: { owners: [4, 2, 3, 1].map(owner) } });
    const membersOf = new Map([[place.department_id, 4]]);
    for (const members of [0, 3, 1, 0]) {
      const { departments } = await storeOrganization(db, {
        owners: ['x'],
        departments: ['Another'],
        now: clock.now(),
      });
      const [{ department_id }] = departments as [(typeof departments)[0]];
      await db.departments.updateOne(
        { department_id },
        { $set: { organization_id, name_key: [department_id] } },
      );
      membersOf.set(department_id, members);
      place = { organization_id, department_id };
      for (let index = 0; index < members; index += 1) await join(index);
    }
    await newWorker().run();
    const chunks = await db.exportChunks.find({ export_id: job.export_id }).sort({ seq: 1 }).toArray();
    const text = Buffer.concat(chunks.map(({ content }) => content.value())).toString();
    const { members, billing } = JSON.parse(text) as Record<
      string,
      { department_id: string; user_id: string }[]
    >;
    // Ids of the same millisecond are in no order.
    const ids = [...membersOf.keys()].toSorted();
    expect(members?.map(({ department_id, user_id }) => [department_id, user_id])).toEqual([
      ...[1, 2, 3, 4].map((index) => [null, `Owner-${index}`]),
      ...ids.flatMap((id) => names(membersOf.get(id) ?? 0).map((name) => [id, name])),
    ]);
    expect(billing?.map(({ department_id }) => department_id)).toEqual(ids);
    expect(await stored()).toMatchObject({ status: 'ready', rows_total: 17, rows_done: 17 });
  });

  test('fills no chunk beyond its bytes by more than a row', async () => {
    await begin(9);
    const row = 250;
    await newWorker({ rows: 100, bytes: 2 * row }).run();
    expect(await content()).toEqual(names(9));
    const sizes = await db.exportChunks
      .find({ export_id: job.export_id })
      .map(({ size }) => size)
      .toArray();
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan(4 * row);
  });

  test('gives way to others after a slice', async () => {
    await begin(30);
    const first = job;
    const second = { ...job, export_id: randomUUIDv7(), slot: 1, running_slot: 1 };
    await db.exports.insertOne({ ...second, due_at: new Date(clock.now() + 1) });
    clock.advance(1);
    const order: string[] = [];
    const insert = db.exportChunks.insertOne.bind(db.exportChunks);
    db.exportChunks.insertOne = (chunk) => {
      order.push(chunk.export_id);
      return insert(chunk);
    };
    await newWorker({ slice: 2 }).run();
    db.exportChunks.insertOne = insert;
    expect(order.slice(0, 6)).toEqual(
      [first, first, second, second, first, first].map(({ export_id }) => export_id),
    );
  });

  test('that is canceled leaves nothing, also of a chunk that was being written', async () => {
    await begin(9);
    const insert = db.exportChunks.insertOne.bind(db.exportChunks);
    db.exportChunks.insertOne = async (chunk) => {
      await db.exports.deleteOne({ export_id: job.export_id });
      await db.exportChunks.deleteMany({ export_id: job.export_id });
      return insert(chunk);
    };
    await newWorker().run();
    db.exportChunks.insertOne = insert;
    expect(await db.exportChunks.countDocuments({ export_id: job.export_id })).toBe(0);
  });

  test('that is too large fails in words', async () => {
    await begin(9);
    await newWorker({ maxBytes: 1024 * 1024 * 0 }).run();
    expect(await stored()).toMatchObject({
      status: 'failed',
      error: 'The export is larger than 0 MiB',
      files: [],
    });
    expect(await db.exportChunks.countDocuments({ export_id: job.export_id })).toBe(0);
  });

  test('that another worker has made ready is not given up', async () => {
    await begin(9);
    const holder = createExportLease(db, LEASE, clock.now);
    const claimed = (await claim(holder)) as WithId<ExportJob>;
    await complete();
    await fail(holder, claimed, 'too late');
    expect(await content()).toEqual(names(9));
  });

  test('that fails each time is given up, and its slot is free', async () => {
    await begin(9, { data: ['unknown' as 'members'] });
    for (let turn = 0; turn < 11; turn += 1) await complete();
    const failed = (await stored()) as ExportJob;
    expect(failed).toMatchObject({ status: 'failed', error: 'The export could not be completed' });
    expect(failed).not.toHaveProperty('running_slot');
  });
});

describe('after a kill', () => {
  /** Kills the worker at its n-th write of a collection, before or after the write takes effect. */
  async function killedAt(collection: 'exports' | 'exportChunks', turn: number, applied: boolean) {
    const method = collection === 'exports' ? 'updateOne' : 'insertOne';
    // biome-ignore lint/suspicious/noExplicitAny: both methods are wrapped alike.
    const target = db[collection] as any;
    const original = target[method];
    let calls = 0;
    target[method] = async (...args: unknown[]) => {
      calls += 1;
      if (calls > turn) throw new Error('killed');
      if (calls < turn) return original.apply(target, args);
      if (applied) await original.apply(target, args);
      throw new Error('killed');
    };
    await newWorker().run();
    target[method] = original;
  }

  const WRITES = [1, 2, 3, 4, 5, 6, 7].flatMap((turn) =>
    (['exports', 'exportChunks'] as const).flatMap((collection) =>
      [true, false].map((applied) => ({ collection, turn, applied })),
    ),
  );
  test.each(WRITES)(
    'at write $turn of $collection (applied: $applied), no row is lost or repeated',
    async (kill) => {
      await begin(8);
      await killedAt(kill.collection, kill.turn, kill.applied);
      await complete();
      expect(await content()).toEqual(names(8));
    },
  );
});

test('goes on when the database never answers a write', async () => {
  await begin(8);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const spy = vi.spyOn(db.exportChunks, 'insertOne').mockReturnValueOnce(new Promise(() => {}));
  try {
    const run = newWorker().run();
    await eventually(() => expect(spy).toHaveBeenCalled());
    vi.advanceTimersByTime(20_000);
    vi.useRealTimers();
    await run;
  } finally {
    vi.useRealTimers();
    spy.mockRestore();
  }
  await complete();
  expect(await content()).toEqual(names(8));
});

test('two workers at once, with kills and members who come and go, write each steady member once', async () => {
  const step = fc.record({
    worker: fc.nat({ max: 1 }),
    action: fc.constantFrom('write', 'write', 'write', 'forget', 'join', 'leave', 'both'),
    member: fc.nat({ max: 11 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await begin(12);
      const moved = new Set<string>();
      /** Where each worker believes that the export stands. */
      const believed: (Written | null)[] = [null, null];
      const write = async (worker: number) => {
        believed[worker] ??= await lastWritten(db, job.export_id);
        believed[worker] = await writeChunk(db, job, believed[worker], LIMITS);
      };
      for (const { worker, action, member } of steps) {
        if (action === 'write') await write(worker);
        else if (action === 'both') await Promise.all([write(0), write(1)]);
        else if (action === 'forget') believed[worker] = null;
        else {
          moved.add(nameOf(member));
          await (action === 'join' ? join(member) : leave(member));
        }
      }
      await Promise.all([newWorker().run(), newWorker().run()]);
      await complete();
      const members = await content();
      expect(new Set(members).size).toBe(members.length);
      expect(members).toEqual(members.toSorted());
      expect(members).toEqual(expect.arrayContaining(names(12).filter((name) => !moved.has(name))));
    }),
    runs(40),
  );
});
