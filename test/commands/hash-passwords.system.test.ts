import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { hashPasswords } from '../../commands/hash-passwords.ts';
import { postForm } from '../fixtures/http.ts';
import { type Services, startServices } from '../fixtures/services.ts';

const ARGON2ID = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  await services.db.users.deleteMany({});
});

const store = (name: string, password: unknown) =>
  services.db.users.insertOne({ email: `${name}@example.com`, verified: true, name, password } as never);
const passwordOf = async (name: string) => (await services.db.users.findOne({ name }))?.password;
const logIn = async (name: string, password: string) =>
  (await postForm(`${services.login}/v2/login`, { email: `${name}@example.com`, password })).status;

test('hashes plain passwords, which then log in as before', async () => {
  const passwords = {
    ada: 'secret',
    grace: '  $argon2id$not one ',
    edith: '€'.repeat(400),
    linus: '$$REMOVE',
  };
  for (const [name, password] of Object.entries(passwords)) await store(name, password);
  const before = await services.db.users.find().toArray();

  expect(await hashPasswords(services.db)).toBe(4);
  const after = await services.db.users.find().toArray();
  expect(after).toEqual(before.map((user) => ({ ...user, password: expect.stringMatching(ARGON2ID) })));
  for (const [name, password] of Object.entries(passwords)) {
    expect(await logIn(name, password)).toBe(200);
    expect(await logIn(name, `${password}.`)).toBe(401);
    // A stolen hash does not log in.
    expect(await logIn(name, (await passwordOf(name)) as string)).toBe(401);
  }
});

test('hashes the passwords of pending signups', async () => {
  const attempts = ['first', 'second'].map((password, at) => ({ id: password, at, password, name: 'Ada' }));
  const record = { email: 'ada@example.com', verified: false, password: 'second', signup_attempts: attempts };
  await services.db.users.insertOne(record as never);
  expect(await hashPasswords(services.db)).toBe(3);
  const { signup_attempts } = (await services.db.users.findOne({ email: record.email })) ?? {};
  expect(signup_attempts).toEqual(
    attempts.map((attempt) => ({ ...attempt, password: expect.stringMatching(ARGON2ID) })),
  );
  expect(await hashPasswords(services.db)).toBe(0);
});

test('leaves hashes and records without a password alone', async () => {
  await store('ada', 'secret');
  await hashPasswords(services.db);
  const hash = await passwordOf('ada');
  await store('bot', null);
  await store('old', 42);
  await services.db.users.insertOne({ email: 'none@example.com', name: 'none' } as never);
  const before = await services.db.users.find().toArray();
  expect(await hashPasswords(services.db)).toBe(0);
  expect(await passwordOf('ada')).toBe(hash);
  expect(await services.db.users.find().toArray()).toEqual(before);
});

test('does not overwrite a password that changes meanwhile', async () => {
  await store('ada', 'secret');
  await store('grace', 'old');
  const { users } = services.db;
  const updateOne = users.updateOne.bind(users);
  // By the first write both passwords have been read.
  const firstWrite = vi.spyOn(users, 'updateOne').mockImplementationOnce(async (...write) => {
    await updateOne({ name: 'grace' }, { $set: { password: 'new' } });
    return updateOne(...write);
  });
  expect(await hashPasswords(services.db)).toBe(1);
  firstWrite.mockRestore();
  expect(await logIn('grace', 'new')).toBe(200);
  expect(await logIn('grace', 'old')).toBe(401);
});

test('hashes every password once in two parallel runs', async () => {
  for (let index = 0; index < 8; index += 1) await store(`person${index}`, `secret ${index}`);
  const [first, second] = await Promise.all([hashPasswords(services.db), hashPasswords(services.db)]);
  expect(first + second).toBe(8);
  expect(await logIn('person7', 'secret 7')).toBe(200);
});

const command = (env: NodeJS.ProcessEnv, ...options: string[]) =>
  promisify(execFile)(process.execPath, ['commands/hash-passwords.ts', ...options], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });

test('npm run hash-passwords reports how many', async () => {
  await store('ada', 'secret');
  expect(await command({ MONGODB_URI: services.uri })).toEqual({
    stdout: 'Done: 1 passwords hashed\n',
    stderr: '',
  });
  expect(await logIn('ada', 'secret')).toBe(200);
  expect((await command({}, '--help')).stdout).toContain('npm run hash-passwords');
});

test('reports a failed start in one line, with exit code 1', async () => {
  await expect(command({ MONGODB_URI: 'mysql://127.0.0.1/none' })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'hash-passwords: MONGODB_URI must be a URL that begins with mongodb:// or mongodb+srv://\n',
  });
});
