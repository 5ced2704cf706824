import type { Collection, Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { drawUserIds, withNewUserId } from '../../../services/user/account/user-ids.ts';
import { COLLECTIONS, type Database } from '../../../services/user/database.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { rounds } from '../../fixtures/property.ts';

let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, drop } = await freshDatabase(COLLECTIONS));
});
afterAll(() => drop());
beforeEach(async () => {
  await db.users.deleteMany({});
});

let people = 0;
/** Stores an account with the id. */
const take = (user_id: string) =>
  db.users.findOneAndUpdate(
    { email: `person${++people}@example.com` },
    { $set: { user_id } },
    { upsert: true, returnDocument: 'after' },
  );
const draw = async (first: number, last: number) => (await withNewUserId(db, take, { first, last }))?.user_id;
const exhausted = { reason: 'unavailable', status: 503, message: 'Service unavailable' };

test('draws the first and the last number too', async () => {
  const drawn = [await draw(100_000, 100_001), await draw(100_000, 100_001)];
  expect(drawn.sort()).toEqual(['User-100000', 'User-100001']);
});

test('draws six digits by default', async () => {
  expect((await withNewUserId(db, take))?.user_id).toMatch(/^User-[1-9]\d{5}$/);
});

test('draws again after a collision', async () => {
  await take('User-1');
  await take('User-2');
  expect(await draw(1, 3)).toBe('User-3');
});

test('searches a crowded range for the last free id', async () => {
  const numbers = Array.from({ length: 1_500 }, (_, index) => index + 1).filter((number) => number !== 1_234);
  await db.users.insertMany(
    numbers.map((number) => ({ email: `${number}@example.com`, user_id: `User-${number}` }) as never),
  );
  expect(await draw(1, 1_500)).toBe('User-1234');
  await expect(draw(1, 1_500)).rejects.toMatchObject(exhausted);
});

test('is unavailable when every id is taken, and never returns a duplicate', async () => {
  for (const number of [1, 2, 3]) await take(`User-${number}`);
  await expect(draw(1, 3)).rejects.toMatchObject(exhausted);
  expect(await db.users.countDocuments({ user_id: { $exists: true } })).toBe(3);
});

test('gives as many parallel calls as there are ids one each', async () => {
  for (let round = 0; round < rounds(5); round += 1) {
    await db.users.deleteMany({});
    const drawn = await Promise.all(Array.from({ length: 30 }, () => draw(1, 30)));
    expect(new Set(drawn).size).toBe(30);
    await expect(draw(1, 30)).rejects.toMatchObject(exhausted);
  }
});

test('passes on any other failure of the write', async () => {
  let writes = 0;
  const broken = new Error('broken');
  const write = async () => {
    writes += 1;
    throw broken;
  };
  await expect(withNewUserId(db, write)).rejects.toBe(broken);
  expect(writes).toBe(1);
});

test('does not mistake a duplicate e-mail for a duplicate id', async () => {
  await db.users.insertOne({ email: 'a@example.com' } as never);
  const write = () => db.users.insertOne({ email: 'a@example.com', user_id: 'User-1' } as never);
  await expect(withNewUserId(db, write, { first: 1, last: 1 })).rejects.toMatchObject({ code: 11000 });
});

describe('an id that a deleted account has left behind is never drawn', () => {
  const references: [keyof Database, (user_id: string) => object][] = [
    ['features', (user_id) => ({ user_id })],
    ['memberships', (user_id) => ({ user_id, department_id: 'department' })],
    ['memberships', (invited_id) => ({ invited_id, department_id: 'department' })],
    ['organizations', (user_id) => ({ organization_id: 'organization', owners: [{ user_id }] })],
    ['organizations', (user_id) => ({ organization_id: 'organization', offers: [{ user_id }] })],
    ['chatbots', (owner_id) => ({ chatbot_id: 'owned', owner_id })],
    ['chatbots', (user_id) => ({ chatbot_id: 'shared', owner_id: 'other', permissions: [{ user_id }] })],
    ['webhooks', (owner_id) => ({ webhook_id: 'webhook', owner_id, slot: 0 })],
    ['events', (user_id) => ({ _id: 'event', readers: [user_id, 'organization'] })],
    ['ssoIdentities', (user_id) => ({ identity_id: 'identity', user_id })],
    ['auditEvents', (user_id) => ({ user_id })],
    ['auditEvents', (user_id) => ({ target: { user_id } })],
    ['deletedUsers', (_id) => ({ _id })],
  ];

  test.each(references)('%s', async (collection, reference) => {
    const stored = db[collection] as unknown as Collection<Document>;
    await stored.insertOne(reference('User-1'));
    for (let round = 0; round < rounds(10); round += 1) {
      await db.users.deleteMany({});
      expect(await draw(1, 2)).toBe('User-2');
    }
    await expect(draw(1, 2)).rejects.toMatchObject(exhausted);
    await stored.deleteMany({});
    expect(await draw(1, 2)).toBe('User-1');
  });

  test.each(references)('%s, for many accounts', async (collection, reference) => {
    const stored = db[collection] as unknown as Collection<Document>;
    await stored.insertOne(reference('User-100500'));
    for (let round = 0; round < rounds(10); round += 1) {
      const drawn = await drawUserIds(db, 500, { first: 100_000, last: 100_999 });
      expect(drawn).not.toContain('User-100500');
      expect(drawn.length).toBeGreaterThanOrEqual(499);
    }
    await stored.deleteMany({});
  });
});
