import { afterAll, beforeAll, expect, test } from 'vitest';
import { postForm } from '../fixtures/http.ts';
import { rounds } from '../fixtures/property.ts';
import { fromNetwork, otherThan, unverifiedAccount } from './account/codes.ts';
import { startTwoInstances, type TwoInstances } from './instances.ts';

let services: TwoInstances;
beforeAll(async () => {
  services = await startTwoInstances({ PASSWORD_STORAGE: 'plain', TRUST_PROXY: 'loopback' });
});
afterAll(() => services.stop());

/** Alternates between the instances. */
const post = (turn: number, operation: string, fields: Record<string, string>, headers = {}) =>
  postForm(`${services.instances[turn % 2]}/v2/${operation}`, fields, headers);
const times = <T>(count: number, make: (turn: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, turn) => make(turn)));
const record = (email: string) => services.db.users.findOne({ email });

test('parallel signups create one record and mail ten codes', async () => {
  const email = 'ada@example.com';
  const answers = await times(16, (turn) =>
    post(
      turn,
      'signup',
      { email, password: `secret ${turn}`, name: `Person ${turn}` },
      fromNetwork(1 + (turn % 3)),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), ...Array(6).fill(429)]);
  expect(await services.db.users.countDocuments({ email })).toBe(1);
  expect(services.mailbox.mails.filter(({ recipients }) => recipients.includes(email))).toHaveLength(10);
});

test('parallel verifications activate once: one user_id, one features record', async () => {
  for (let round = 0; round < rounds(5); round += 1) {
    const { email, code } = await unverifiedAccount(services);
    const answers = await times(20, (turn) => post(turn, 'verify-otp', { email, otp: code }));
    const user_id = (await record(email))?.user_id as string;
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({
        status: 200,
        body: { message: 'OTP verified successfully', user_id },
      });
    expect(await services.db.features.countDocuments({ user_id })).toBe(1);
  }
});

test('guesses at both instances count together: five and no more', async () => {
  const { email, code } = await unverifiedAccount(services);
  const answers = await times(50, (turn) =>
    turn % 3
      ? post(turn, 'verify-otp', { email, otp: otherThan(code, turn + 1) })
      : post(turn, 'reset-password', { email, otp: otherThan(code, turn + 1), new_password: 'eve' }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  expect(await record(email)).toMatchObject({ otp_wrong_guesses: 5 });
  expect((await record(email))?.otp_wrong_guess_times).toHaveLength(5);
  for (const turn of [0, 1])
    expect((await post(turn, 'verify-otp', { email, otp: code })).body).toStrictEqual({
      detail: 'Invalid OTP',
    });
});

test('exactly one of several parallel resets with one code succeeds', async () => {
  const { email, code } = await unverifiedAccount(services);
  const answers = await times(8, (turn) =>
    post(turn, 'reset-password', { email, otp: code, new_password: `new ${turn}` }),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array(7).fill(400)]);
});

test('a signup that races a verification never makes an active account unverified', async () => {
  for (let round = 0; round < rounds(20); round += 1) {
    const { email, code } = await unverifiedAccount(services);
    const [verified] = await Promise.all([
      post(round, 'verify-otp', { email, otp: code }),
      post(round + 1, 'signup', { email, password: 'late', name: 'Late' }),
    ]);
    const active = verified.status === 200;
    expect(await record(email)).toMatchObject({
      verified: active,
      account_status: active ? 'active' : 'paused',
    });
  }
});

test('a signup that races a forgotten password and a verification never gets its password activated', async () => {
  for (let round = 0; round < rounds(20); round += 1) {
    const email = `race${round}@example.com`;
    const signup = (turn: number, password: string) =>
      post(turn, 'signup', { email, password, name: 'Ada' }, fromNetwork(1 + turn));
    await signup(0, 'mine');
    const verify = async (turn: number) => {
      const otp = (await record(email))?.otp ?? '';
      const { body } = await post(turn, 'forgot-password', { email }, fromNetwork(5 + turn));
      const next = (await record(email))?.otp ?? '';
      const token: string = body.token;
      await Promise.all([
        post(turn, 'verify-otp', { email, otp, token }),
        post(turn + 1, 'verify-otp', { email, otp: next, token }),
      ]);
    };
    await Promise.all([verify(round), signup(round + 1, 'planted'), verify(round + 1)]);
    const { verified, password } = (await record(email)) ?? {};
    expect({ verified, password }).toEqual(
      verified ? { verified: true, password: 'mine' } : { verified: false, password: 'planted' },
    );
  }
});
