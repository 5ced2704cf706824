import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importPeople } from '../../../services/user/import/import-people.ts';
import { postForm } from '../../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';
import { silent } from './silent.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

/** Imports a person whose address nobody has verified, with a password that a stranger may have chosen. */
async function unverified(email: string): Promise<string> {
  const line = JSON.stringify({ email, name: 'Ada', password_hash: '{SHA}bROMo65UVjGzq9caTwds51nFcAs=' });
  const { db, clock } = services;
  const source = Readable.from([Buffer.from(line)]);
  await importPeople({ db, source, from: 'gatehouse', now: clock.now, log: silent });
  return email;
}

const STRANGERS = 'lètmein';
const post = (path: string, fields: Record<string, string>) =>
  postForm(`${services.user}/v2/${path}`, fields);
const logIn = async (email: string, password: string) =>
  (await postForm(`${services.login}/v2/login`, { email, password })).status;

test('a person whose address nobody has verified signs up, and the password of the export opens nothing', async () => {
  const email = await unverified('ada@example.com');
  expect(await logIn(email, STRANGERS)).toBe(401);
  const { body } = await post('signup', { email, password: 'correct horse', name: 'Ada Lovelace' });
  const otp = await mailedCode(services.mailbox, email);
  expect((await post('verify-otp', { email, otp, token: body.token as string })).status).toBe(200);
  expect([await logIn(email, STRANGERS), await logIn(email, 'correct horse')]).toStrictEqual([401, 200]);
});

test('they also prove the address with forgot-password, and choose a password then', async () => {
  const email = await unverified('grace@example.com');
  await post('forgot-password', { email });
  expect((await post('verify-otp', { email, otp: await mailedCode(services.mailbox, email) })).status).toBe(
    200,
  );
  expect(await logIn(email, STRANGERS)).toBe(401);
  expect(await services.db.users.findOne({ email })).toMatchObject({
    verified: true,
    account_status: 'active',
    user_id: expect.stringMatching(/^User-\d{6}$/),
    imported: { from: 'gatehouse' },
  });
});
