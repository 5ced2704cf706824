import type { Collection, Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isUserId } from '../../../services/user/access/memberships/invitee.ts';
import { drawUserIds, withNewUserId } from '../../../services/user/account/user-ids.ts';
import { COLLECTIONS, type Database } from '../../../services/user/database.ts';
import { watchedDatabase } from '../../fixtures/database.ts';
import { rounds } from '../../fixtures/property.ts';

let db: Database;
let commands: string[];
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, commands, drop } = await watchedDatabase(COLLECTIONS));
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
/** A process that starts now: it knows nothing of what others have found taken. */
const newProcess = (): Database => ({ ...db });
const draw = async (digits: number, process = newProcess()) =>
  (await withNewUserId(process, take, digits))?.user_id;
const takeAll = (ids: readonly string[]) =>
  db.users.insertMany(ids.map((user_id) => ({ email: `${user_id}@example.com`, user_id }) as never));
const ids = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => `User-${first + index}`);

test('draws each number of the length, the first and the last too', async () => {
  const drawn = new Set<unknown>();
  while (drawn.size < 9) {
    drawn.add(await draw(1));
    await db.users.deleteMany({});
  }
  expect([...drawn].sort()).toEqual(ids(1, 9));
});

test('draws six digits by default', async () => {
  expect((await withNewUserId(db, take))?.user_id).toMatch(/^User-[1-9]\d{5}$/);
});

test.each([6, 7, 8, 9])('an account whose id has %i digits can be invited', async (digits) => {
  const drawn = String(await draw(digits));
  expect(drawn).toHaveLength('User-'.length + digits);
  expect(isUserId(drawn)).toBe(true);
});

test('draws again after a collision', async () => {
  await takeAll(ids(1, 4));
  for (let round = 0; round < rounds(10); round += 1) {
    const drawn = await draw(1);
    expect(ids(5, 9)).toContain(drawn);
    await db.users.deleteOne({ user_id: drawn as string });
  }
});

describe('ids become longer when half of a length is taken', () => {
  test.each([
    ['one digit', 5, 1, /^User-[6-9]$|^User-\d\d$/],
    ['two digits', 60, 1, /^User-\d{3}$/],
  ])('%s', async (_name, last, digits, expected) => {
    await takeAll(ids(1, last));
    const process = newProcess();
    const drawn = [];
    for (let count = 0; count < 20; count += 1) drawn.push(String(await draw(digits, process)));
    for (const id of drawn) expect(id).toMatch(expected);
    // A process finds out at its first collision, and stays with what it has found.
    const longer = drawn.map((id) => id.length > `User-${last}`.length);
    expect(longer.indexOf(true)).toBeLessThan(5);
    expect(longer.lastIndexOf(false)).toBeLessThan(longer.indexOf(true));
  });

  test('not before', async () => {
    await takeAll(ids(1, 4));
    expect(ids(5, 9)).toContain(await draw(1));
  });

  test('ids of deleted accounts count as taken', async () => {
    await db.deletedUsers.insertMany(ids(1, 9).map((_id) => ({ _id }) as never));
    expect(await draw(1)).toMatch(/^User-\d\d$/);
    await db.deletedUsers.deleteMany({});
  });

  test('ids that other records name do not stop it', async () => {
    await db.features.insertMany(ids(1, 9).map((user_id) => ({ user_id }) as never));
    expect(await draw(1)).toMatch(/^User-\d\d$/);
    await db.features.deleteMany({});
  });

  test('for many accounts at once', async () => {
    await takeAll(ids(1, 60));
    const drawn = await drawUserIds(newProcess(), 300, 1);
    expect(new Set(drawn).size).toBe(300);
    for (const id of drawn) expect(id).toMatch(/^User-\d{3}$/);
  });
});

test('a draw costs one command; a collision makes it count', async () => {
  commands.length = 0;
  await draw(6);
  expect(commands).toEqual(['aggregate', 'findAndModify']);
  await takeAll(ids(1, 9));
  const process = newProcess();
  commands.length = 0;
  await draw(1, process);
  expect(commands).toEqual([
    'aggregate',
    'distinct',
    'distinct',
    'distinct',
    'distinct',
    'aggregate',
    'findAndModify',
  ]);
  await db.users.deleteMany({});
  commands.length = 0;
  await draw(1, process);
  expect(commands).toEqual(['aggregate', 'findAndModify']);
});

test('gives parallel calls of two processes one id each, from empty to crowded', async () => {
  for (let round = 0; round < rounds(5); round += 1) {
    await db.users.deleteMany({});
    const processes = [newProcess(), newProcess()];
    const drawn = await Promise.all(Array.from({ length: 60 }, (_, index) => draw(1, processes[index % 2])));
    expect(new Set(drawn).size).toBe(60);
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
  await expect(withNewUserId(newProcess(), write, 1)).rejects.toMatchObject({ code: 11000 });
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
    ['loginNames', (user_id) => ({ _id: 'google:1', user_id })],
    ['auditEvents', (user_id) => ({ user_id })],
    ['auditEvents', (user_id) => ({ target: { user_id } })],
    ['deletedUsers', (_id) => ({ _id })],
  ];

  test.each(references)('%s', async (collection, reference) => {
    const stored = db[collection] as unknown as Collection<Document>;
    await stored.insertOne(reference('User-1'));
    await takeAll(ids(2, 5));
    // Four of the nine remain, and a longer id after a collision.
    for (let round = 0; round < rounds(20); round += 1) {
      const drawn = await draw(1);
      expect(drawn).not.toBe('User-1');
      await db.users.deleteOne({ user_id: drawn as string });
    }
    await stored.deleteMany({});
  });

  test.each(references)('%s, for many accounts', async (collection, reference) => {
    const stored = db[collection] as unknown as Collection<Document>;
    await stored.insertOne(reference('User-1'));
    const drawn = await drawUserIds(newProcess(), 9, 1);
    expect(drawn.sort()).toEqual(ids(2, 9));
    await stored.deleteMany({});
  });
});
