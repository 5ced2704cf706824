import { afterAll, beforeAll, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { postForm, postJson, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';
import { activeAccount } from './codes.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { PASSWORD_POLICY: 'nist', PASSWORD_STORAGE: 'plain' } });
});
afterAll(() => services.stop());

const COMMON = 'is one of the most common passwords. Choose another, for example a few unrelated words.';
const GOOD = 'pebble orbit lantern';
const post = (operation: string, form: Record<string, string>) =>
  postForm(`${services.user}/v2/${operation}`, form);

test('a signup with a weak password stores and mails nothing', async () => {
  const email = 'grace@example.com';
  const signup = (password: string) => post('signup', { email, password, name: 'Grace Hopper' });
  expect(outcome(await signup('password'))).toStrictEqual({
    status: 400,
    body: { detail: `password ${COMMON}` },
  });
  expect((await signup('GraceHopper')).status).toBe(400);
  expect(await services.db.users.findOne({ email })).toBeNull();
  expect(services.mailbox.mails).toEqual([]);
  expect((await signup(GOOD)).status).toBe(200);
});

test('a reset with a weak password leaves the code valid', async () => {
  const { email, code } = await activeAccount(services, { name: 'Grace Hopper' });
  const reset = (new_password: string, otp = code) => post('reset-password', { email, otp, new_password });
  expect((await reset('gracehopper', '999999')).body).toStrictEqual({ detail: 'Invalid or expired OTP' });
  expect((await reset('password')).body).toStrictEqual({ detail: `new_password ${COMMON}` });
  expect((await reset('gracehopper')).status).toBe(400);
  expect(await services.db.users.findOne({ email })).toMatchObject({ password: 'secret', otp: code });
  expect((await reset(GOOD)).status).toBe(200);
});

test('a change to a weak password changes nothing', async () => {
  const ada = await newMember(services.db);
  const authorization = bearerOf(ada, services.clock.now());
  const change = (new_password: string) =>
    postJson(`${services.user}/api/v1/users/me/password`, { new_password }, { authorization });
  const { status, body } = await change('password');
  expect({ status, code: body.error.code, details: body.error.details }).toEqual({
    status: 400,
    code: 'INVALID_FORMAT',
    details: `new_password ${COMMON}`,
  });
  expect(await services.db.users.findOne({ _id: ada._id })).toEqual(ada);
  expect((await change(GOOD)).status).toBe(200);
});

test('stored passwords stay valid', async () => {
  const { email } = await newMember(services.db, { password: 'password' });
  expect((await postForm(`${services.login}/v2/login`, { email, password: 'password' })).status).toBe(200);
});

test('lookups of breached passwords are counted at /metrics', async () => {
  expect((await send(`${services.user}/metrics`)).body).toContain('password_breach_lookups_total');
});
