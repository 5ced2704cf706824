import { AppError } from '@gatehouse/shared/http/errors';
import { createPasswords, type Passwords } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { postForm } from '../../fixtures/http.ts';
import { type Services, startServices } from '../../fixtures/services.ts';
import { activeAccount, otherThan, unverifiedAccount } from './codes.ts';

const passwords = createPasswords();
/** How many passwords the service has hashed. */
let hashed = 0;
/** Whether the hashing queue is full. */
let full = false;
const counting: Passwords = {
  ...passwords,
  encode(...password) {
    hashed += 1;
    if (full) throw new AppError('unavailable');
    return passwords.encode(...password);
  },
};

let services: Services;
beforeAll(async () => {
  services = await startServices({ passwords: counting, env: { TRUST_PROXY: 'loopback' } });
});
afterAll(() => services.stop());
beforeEach(() => {
  hashed = 0;
  full = false;
});

const reset = (email: string, otp: string) =>
  postForm(`${services.user}/v2/reset-password`, { email, otp, new_password: 'new' });
const refused = { status: 400, body: { detail: 'Invalid or expired OTP' } };
const tooMany = { status: 429, body: { detail: 'Too many requests' } };

test('a reset hashes the password only for the right code', async () => {
  const { email, code } = await activeAccount(services);
  for (const wrong of ['abc', code.slice(1), otherThan(code)])
    expect(outcome(await reset(email, wrong))).toStrictEqual(refused);
  const { email: late, code: expired } = await activeAccount(services, {
    otp_expiration: services.clock.seconds() - 1,
  });
  expect(outcome(await reset(late, expired))).toStrictEqual(refused);
  expect(hashed).toBe(0);
  expect((await reset(email, code)).status).toBe(200);
  expect(hashed).toBe(1);
});

test('a full hashing queue does not use up the code', async () => {
  const { email, code } = await activeAccount(services);
  full = true;
  expect((await reset(email, code)).status).toBe(503);
  full = false;
  expect((await reset(email, code)).status).toBe(200);
});

test.each([
  ['account', ['203.0.113.1', '203.0.113.2']],
  ['network', ['127.0.0.1']],
])('a repeated signup hashes nothing when the mails of the %s are spent', async (_budget, networks) => {
  const mails = networks.flatMap((network) => Array(5).fill({ at: services.clock.seconds(), network }));
  const { email } = await unverifiedAccount(services, { otp_mails: mails });
  const form = { email, password: 'secret', name: 'Ada' };
  expect(outcome(await postForm(`${services.user}/v2/signup`, form))).toStrictEqual(tooMany);
  expect(hashed).toBe(0);
});
