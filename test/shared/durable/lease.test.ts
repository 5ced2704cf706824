import { collection } from '@gatehouse/shared/data/connect';
import { createLease } from '@gatehouse/shared/durable/lease';
import type { ObjectId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { testClock } from '../../fixtures/clock.ts';
import { watchedDatabase } from '../../fixtures/database.ts';

interface Work {
  name: string;
  work: { due: Date; by?: string };
  done: number;
}

const COLLECTIONS = { works: collection<Work>('works', [{ key: { 'work.due': 1 } }]) };
const DURATION = 60_000;

let database: Awaited<ReturnType<typeof watchedDatabase<typeof COLLECTIONS>>>;
let clock: ReturnType<typeof testClock>;
beforeAll(async () => {
  database = await watchedDatabase(COLLECTIONS);
});
afterAll(() => database.drop());
beforeEach(async () => {
  clock = testClock();
  await database.db.works.deleteMany({});
  const due = (seconds: number) => ({ due: new Date(clock.now() + seconds * 1000) });
  await database.db.works.insertMany([
    { name: 'later', work: due(-1), done: 0 },
    { name: 'first', work: due(-2), done: 0 },
    { name: 'not yet', work: due(1), done: 0 },
  ]);
});

const newLease = () =>
  createLease({
    collection: database.db.works,
    due: 'work.due',
    holder: 'work.by',
    duration: DURATION,
    now: clock.now,
  });

test('claims what is due, the oldest first, each for one holder', async () => {
  const [one, other] = [newLease(), newLease()];
  expect((await one.claim())?.name).toBe('first');
  expect((await other.claim({}, { $inc: { done: 1 } }))?.done).toBe(1);
  expect(await one.claim()).toBeNull();
});

test('another process claims what a killed holder had, once its lease has ended', async () => {
  const [killed, other] = [newLease(), newLease()];
  await killed.claim({ name: 'first' });
  clock.advance(DURATION / 1000 - 1);
  expect(await other.claim({ name: 'first' })).toBeNull();
  clock.advance(1);
  expect((await other.claim({ name: 'first' }))?.name).toBe('first');
});

test('a holder whose lease was taken over neither renews nor releases it', async () => {
  const [slow, other] = [newLease(), newLease()];
  const { _id } = (await slow.claim({ name: 'first' })) as { _id: ObjectId };
  expect(await slow.renew(_id, { $set: { done: 1 } })).toBe(true);
  clock.advance(DURATION / 1000);
  await other.claim({ name: 'first' });
  expect(await slow.renew(_id)).toBe(false);
  expect(await slow.release(_id, new Date(clock.now()))).toBe(false);
  expect(await database.db.works.countDocuments(other.held(_id))).toBe(1);
});

test('a release leaves the document alone until its time', async () => {
  const lease = newLease();
  const { _id } = (await lease.claim({ name: 'first' })) as { _id: ObjectId };
  expect(await lease.release(_id, new Date(clock.now() + 5_000))).toBe(true);
  expect(await database.db.works.findOne({ _id })).not.toHaveProperty('work.by');
  expect(await lease.claim({ name: 'first' })).toBeNull();
  clock.advance(5);
  expect((await lease.claim({ name: 'first' }))?.name).toBe('first');
});
