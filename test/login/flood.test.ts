import { createPasswords } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import PQueue from 'p-queue';
import { expect, onTestFinished, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { COLLECTIONS } from '../../services/login/database.ts';
import { freshDatabase } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { postForm, send } from '../fixtures/http.ts';
import { listen, testConfig } from '../fixtures/services.ts';

const QUEUED = 20;
const REFUSED = 15;

test('a flood of logins gets 503 beyond the queue, and the service stays responsive', async () => {
  const queue = new PQueue({ concurrency: 1, autoStart: false });
  const { db, drop } = await freshDatabase(COLLECTIONS);
  const ada = {
    email: 'ada@example.com',
    password: await createPasswords().encode('secret', 'argon2id'),
    verified: true,
    user_id: 'User-100001',
  };
  await db.users.insertOne(ada as unknown as User);
  const passwords = createPasswords({ queue, maxQueued: QUEUED });
  const app = await buildLoginService({ config: testConfig('login'), db, passwords });
  const url = await listen(app);
  onTestFinished(async () => {
    queue.start();
    await app.close();
    await drop();
  });

  const answers: unknown[] = [];
  const login = async (email: string) => {
    const { status, body } = await postForm(`${url}/v2/login`, { email, password: 'secret' });
    return { status, body };
  };
  const flood = Array.from({ length: QUEUED + REFUSED }, async () =>
    answers.push(await login('ada@example.com')),
  );
  const live = async () => {
    const { status, body } = await send(`${url}/health/live`);
    return { status, body };
  };

  await eventually(() => answers.length === REFUSED);
  expect(answers).toEqual(Array(REFUSED).fill({ status: 503, body: { detail: 'Service unavailable' } }));
  expect(await live()).toEqual({ status: 200, body: { status: 'ok' } });
  expect((await login('nobody@example.com')).status).toBe(404);

  // One hash at a time: the probe is answered between two of them.
  queue.start();
  expect(await live()).toEqual({ status: 200, body: { status: 'ok' } });
  expect(answers.length).toBeLessThan(QUEUED + REFUSED);
  await Promise.all(flood);
  expect(answers.slice(REFUSED)).toEqual(
    Array(QUEUED).fill({
      status: 200,
      body: { message: 'Login successful', token: expect.any(String), user_id: 'User-100001' },
    }),
  );
  expect((await login('ada@example.com')).status).toBe(200);
});

test('a flood of guesses from many networks does not shut out the owner at a network of earlier logins', async () => {
  const queue = new PQueue({ concurrency: 1 });
  const { db, drop } = await freshDatabase(COLLECTIONS);
  const ada = {
    email: 'ada@example.com',
    password: await createPasswords().encode('secret', 'argon2id'),
    verified: true,
    user_id: 'User-100001',
  };
  await db.users.insertOne(ada as unknown as User);
  const passwords = createPasswords({ queue, maxQueued: QUEUED });
  const config = testConfig('login', { TRUST_PROXY: 'loopback' });
  const app = await buildLoginService({ config, db, passwords });
  const url = await listen(app);
  onTestFinished(async () => {
    queue.start();
    await app.close();
    await drop();
  });
  const login = (address: string, password: string) =>
    postForm(`${url}/v2/login`, { email: ada.email, password }, { 'x-forwarded-for': address });
  const networks = async () => (await db.users.findOne({ email: ada.email }))?.login_networks ?? [];

  for (const password of ['guess', 'secret', 'secret']) await login('198.51.100.7', password);
  expect(await networks()).toEqual([expect.stringMatching(/^[\w-]{16}$/)]);

  queue.pause();
  const answered: string[] = [];
  const ask = async (name: string, address: string, password: string) => {
    const { status } = await login(address, password);
    answered.push(`${name} ${status}`);
  };
  const flood = Array.from({ length: QUEUED }, (_, index) => ask('guess', `203.0.113.${index}`, 'guess'));
  await eventually(() => queue.size === QUEUED);
  const stranger = ask('stranger', '192.0.2.1', 'secret');
  await eventually(() => expect(answered).toEqual(['stranger 503']));
  const owner = ask('owner', '198.51.100.7', 'secret');
  await eventually(() => expect(answered).toEqual(['stranger 503', 'guess 503']));
  queue.start();
  await Promise.all([...flood, stranger, owner]);
  expect(answered.indexOf('owner 200')).toBeLessThan(6);

  for (let network = 1; network <= 9; network += 1) await login(`198.18.0.${network}`, 'secret');
  expect(await networks()).toHaveLength(8);
});
