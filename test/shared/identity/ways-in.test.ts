import { unusableHash } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userCollections } from '@gatehouse/shared/identity/users';
import {
  hasPassword,
  hasRoomFor,
  keepsAnotherWay,
  loginNameCollections,
} from '@gatehouse/shared/identity/ways-in';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchedDatabase } from '../../fixtures/database.ts';

const COLLECTIONS = { ...userCollections, ...loginNameCollections };
let database: Awaited<ReturnType<typeof watchedDatabase<typeof COLLECTIONS>>>;
beforeAll(async () => {
  database = await watchedDatabase(COLLECTIONS);
});
afterAll(() => database.drop());

const PASSWORD = 'correct horse';
let accounts = 0;
async function account(ways: Pick<User, 'passkeys' | 'links'>, password = PASSWORD) {
  accounts += 1;
  const { users } = database.db;
  const { insertedId: _id } = await users.insertOne({
    email: `${accounts}@example.com`,
    password,
    ...ways,
  } as User);
  return { _id, password };
}

test.each<{ name: string; ways: Pick<User, 'passkeys' | 'links'>; password?: string; removed: 0 | 1 }>([
  { name: 'beside a password', ways: { passkeys: ['a'] }, removed: 1 },
  { name: 'beside another passkey', ways: { passkeys: ['a', 'b'] }, password: unusableHash(), removed: 1 },
  { name: 'beside a link', ways: { passkeys: ['a'], links: ['c'] }, password: unusableHash(), removed: 1 },
  {
    name: 'beside a link that opens nothing',
    ways: { passkeys: ['a'], links: ['d'] },
    password: unusableHash(),
    removed: 0,
  },
  { name: 'that is the last way in', ways: { passkeys: ['a'] }, password: unusableHash(), removed: 0 },
  { name: 'of another account', ways: { passkeys: ['b', 'c'] }, removed: 0 },
])('removes a passkey $name: $removed', async ({ ways, password, removed }) => {
  const { users } = database.db;
  const user = await account(ways, password);
  const { modifiedCount } = await users.updateOne(
    { _id: user._id, ...keepsAnotherWay('passkeys', 'a', user, ['b', 'c']) },
    { $pull: { passkeys: 'a' } },
  );
  expect(modifiedCount).toBe(removed);
});

test('two concurrent removals of the last two ways in: one succeeds', async () => {
  const { users } = database.db;
  const user = await account({ passkeys: ['a'], links: ['b'] }, unusableHash());
  expect(hasPassword(user)).toBe(false);
  const removed = await Promise.all([
    users.updateOne(
      { _id: user._id, ...keepsAnotherWay('passkeys', 'a', user, ['b', 'c']) },
      { $pull: { passkeys: 'a' } },
    ),
    users.updateOne(
      { _id: user._id, ...keepsAnotherWay('links', 'b', user, ['b']) },
      { $pull: { links: 'b' } },
    ),
  ]);
  expect(removed.map(({ modifiedCount }) => modifiedCount).sort()).toEqual([0, 1]);
});

test('a password that has become invalid is no other way in', async () => {
  const { users } = database.db;
  const user = await account({ links: ['b'] });
  await users.updateOne({ _id: user._id }, { $set: { password: unusableHash() } });
  expect(await users.findOne({ _id: user._id, ...keepsAnotherWay('links', 'b', user, ['b']) })).toBeNull();
});

test('an account has twenty passkeys at most, each once', async () => {
  const { users } = database.db;
  const user = await account({});
  const ids = Array.from({ length: 24 }, (_, index) => `key ${index % 23}`);
  for (const id of ids)
    await users.updateOne({ _id: user._id, ...hasRoomFor('passkeys', id) }, { $push: { passkeys: id } });
  expect((await users.findOne({ _id: user._id }))?.passkeys).toEqual(ids.slice(0, 20));
});
