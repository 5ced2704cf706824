import { type Gatehouse, startGatehouse } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from './call.ts';

const PASSWORD = 'correct-horse';
const ME = '/api/v1/users/me';

let gate: Gatehouse;
beforeAll(async () => {
  gate = await startGatehouse();
});
afterAll(() => gate.stop());

let people = 0;
const newAddress = () => `person-${++people}@example.com`;

const signUp = async (email: string) => {
  const { status, body } = await call(gate, '/v2/signup', {
    body: { email, password: PASSWORD, name: 'Ada' },
  });
  expect([status, body]).toStrictEqual([200, body]);
  return body;
};
const verify = async (email: string, token: unknown, otp: string) =>
  call(gate, '/v2/verify-otp', { body: { email, otp, token } });
const login = async (email: string) =>
  call(gate, '/api/v1/auth/login', { body: { email, password: PASSWORD } });

describe('the clock', () => {
  test('makes a code expire after its minute', async () => {
    const email = newAddress();
    const { token } = await signUp(email);
    const otp = await gate.code(email);
    await gate.clock.advance('61s');
    expect(await verify(email, token, otp)).toStrictEqual({ status: 400, body: { detail: 'OTP expired' } });
  });

  test('makes tokens expire', async () => {
    const { token } = await gate.session({ email: newAddress(), contract: 'direct' });
    await gate.clock.advance('29m');
    expect((await call(gate, ME, { token })).status).toBe(200);
    await gate.clock.advance('2m');
    const { status, body } = await call(gate, ME, { token });
    expect([status, (body.error as { message: string }).message]).toStrictEqual([401, 'Token expired']);
  });

  test('lets TTL indexes delete: an account that was never verified disappears', async () => {
    const email = newAddress();
    await signUp(email);
    const direct = async () =>
      (
        await call(gate, '/v2/login', {
          body: { email, password: PASSWORD, recaptcha_token: await gate.captcha() },
        })
      ).status;
    await gate.clock.advance('29d');
    expect(await direct()).toBe(403);
    await gate.clock.advance('1d 1m');
    expect(await direct()).toBe(404);
  });

  test('runs the jobs that become due: an account is deleted after its days', async () => {
    const email = newAddress();
    const { token, user_id } = await gate.session({ email });
    expect((await call(gate, ME, { token, method: 'DELETE' })).status).toBe(202);
    await gate.clock.advance('14d');
    // The address is free again.
    expect((await gate.session({ email })).user_id).not.toBe(user_id);
  });

  test('can be set, and moves on from there', async () => {
    const to = new Date(gate.clock.now().getTime() + 3_600_000);
    const at = await gate.clock.set(to);
    expect(at.getTime()).toBeGreaterThanOrEqual(to.getTime());
    expect(gate.clock.now().getTime()).toBeGreaterThanOrEqual(at.getTime());
  });

  test.each(['a while', '', '5', '-1s', Number.NaN, -5])('refuses %j as a duration', async (duration) => {
    const before = gate.clock.now().getTime();
    await expect(gate.clock.advance(duration)).rejects.toThrow(/is no duration|moved back with set/);
    expect(gate.clock.now().getTime() - before).toBeLessThan(60_000);
  });

  test('refuses what is no date', async () => {
    await expect(gate.clock.set('tomorrow')).rejects.toThrow('"tomorrow" is no date');
  });
});

describe('mails', () => {
  test('come in order, each once', async () => {
    const email = newAddress();
    const { token } = await signUp(email);
    const first = await gate.mail.next(email.toUpperCase());
    expect(first.to).toStrictEqual([email]);
    expect(first.code).toMatch(/^\d{6}$/);
    expect(await gate.code(email)).toBe(first.code);
    await expect(gate.code(email, { timeout: 0 })).rejects.toThrow(`no code for ${email} within 0 ms`);
    await verify(email, token, first.code as string);
    const waiting = gate.mail.next(email);
    await call(gate, '/v2/forgot-password', { body: { email } });
    expect((await waiting).id).not.toBe(first.id);
    expect(gate.mail.all(email).map(({ id }) => id)).toStrictEqual([first.id, (await waiting).id]);
  });
});

describe('snapshots', () => {
  test('set back the database, the mails, the counts and the time', async () => {
    const email = newAddress();
    await gate.session({ email });
    const snapshot = await gate.snapshot();
    const wrong = () => call(gate, '/api/v1/auth/login', { body: { email, password: 'wrong' } });
    const codeOf = async () => ((await wrong()).body.error as { code: string }).code;
    const refusals = [];
    for (let tries = 0; tries < 6; tries += 1) refusals.push(await codeOf());
    expect(refusals.at(-1)).not.toBe(refusals[0]);
    const later = newAddress();
    await signUp(later);
    await gate.code(later);
    await gate.clock.advance('90d');

    await gate.restore(snapshot);
    expect(Math.abs(gate.clock.now().getTime() - snapshot.at)).toBeLessThan(3_600_000);
    expect(gate.mail.all(later)).toStrictEqual([]);
    expect(await codeOf()).toBe(refusals[0]);
    await signUp(later);
    await gate.code(later);
    await gate.restore(snapshot);
    expect(gate.mail.all(later)).toStrictEqual([]);
  });

  test('end sessions that began later', async () => {
    const snapshot = await gate.snapshot();
    const { token } = await gate.session({ email: newAddress() });
    expect((await call(gate, ME, { token })).status).toBe(200);
    await gate.restore(snapshot);
    expect((await call(gate, ME, { token })).status).toBe(401);
  });
});

describe('a session', () => {
  test('is of a person who is created with a plan and roles', async () => {
    const email = newAddress();
    const { token, user_id, authorization, expires_at, storageState } = await gate.session({
      email,
      name: 'Grace Hopper',
      plan: 'Business',
      organization: 'Compilers',
      roles: { Research: 'Editor', Support: 'Viewer' },
    });
    expect(authorization).toBe(`Bearer ${token}`);
    expect(expires_at.getTime()).toBeGreaterThan(gate.clock.now().getTime());
    const { body } = await call(gate, ME, { token });
    expect(body).toMatchObject({ user_id, email, name: 'Grace Hopper', subscription_plan: 'Business' });
    const { body: listed } = await call(gate, '/api/v1/organizations', { token });
    expect((listed.data as { name: string }[]).map(({ name }) => name)).toStrictEqual(['Compilers']);
    expect(storageState({ origin: 'http://localhost:5173/x', key: 'token' })).toStrictEqual({
      cookies: [],
      origins: [{ origin: 'http://localhost:5173', localStorage: [{ name: 'token', value: token }] }],
    });
    // The same again: nothing is created twice.
    const again = await gate.session({ email, organization: 'Compilers', roles: { Research: 'Editor' } });
    expect(again.user_id).toBe(user_id);
  });

  test('of an Owner creates the organization as theirs', async () => {
    const { token } = await gate.session({ email: newAddress(), organization: 'Engines', roles: 'Owner' });
    const { body } = await call(gate, '/api/v1/organizations', { token });
    expect((body.data as { name: string }[]).map(({ name }) => name)).toStrictEqual(['Engines']);
  });

  test('is refused for an account that cannot act', async () => {
    const email = newAddress();
    await signUp(email);
    await expect(gate.session({ email })).rejects.toThrow(
      `${email} cannot sign in: the account is unverified`,
    );
  });
});

describe('faults', () => {
  test('mail: a signup fails until it heals', async () => {
    const email = newAddress();
    const signup = () => call(gate, '/v2/signup', { body: { email, password: PASSWORD, name: 'Ada' } });
    await gate.fail('mail');
    expect((await signup()).status).toBe(503);
    await gate.heal('mail');
    expect((await signup()).status).toBe(200);
    await gate.code(email);
  });

  test('database: calls fail until it heals', async () => {
    const { token } = await gate.session({ email: newAddress() });
    {
      await using _ = await gate.fail('database');
      expect((await call(gate, ME, { token })).status).toBe(503);
    }
    expect((await call(gate, ME, { token })).status).toBe(200);
  });

  test('captcha: every solution is refused until it heals', async () => {
    const email = newAddress();
    await gate.seed({ people: [{ email, password: PASSWORD }] });
    const direct = async () =>
      call(gate, '/v2/login', {
        body: { email, password: PASSWORD, recaptcha_token: await gate.captcha() },
      });
    await gate.fail('captcha');
    expect((await direct()).status).not.toBe(200);
    await gate.heal();
    expect((await direct()).status).toBe(200);
  });

  test('refuses what cannot fail', async () => {
    await expect(gate.fail('weather' as 'mail')).rejects.toThrow('"weather" cannot fail');
  });
});

test('instances keep their own time, people and secrets', async () => {
  await using other = await startGatehouse();
  const email = newAddress();
  const { token } = await other.session({ email });
  await gate.clock.advance('2h');
  expect((await call(other, ME, { token })).status).toBe(200);
  expect((await call(gate, ME, { token })).status).toBe(401);
  expect((await login(email)).status).not.toBe(200);
  expect(other.env.JWT_SECRET).not.toBe(gate.env.JWT_SECRET);
});

describe('guards', () => {
  test('refuses production', async () => {
    await expect(startGatehouse({ env: { NODE_ENV: 'production' } })).rejects.toThrow(
      'refused in production',
    );
  });

  test('signs with a secret of its own and listens on loopback, whatever the settings say', async () => {
    await using other = await startGatehouse({ env: { JWT_SECRET: 'known', HOST: '0.0.0.0' } });
    expect(other.env.JWT_SECRET).toMatch(/^[\w-]{43}$/);
    expect(new URL(other.url).hostname).toBe('localhost');
    expect((await call(other, '/health')).status).toBe(200);
  });
});
