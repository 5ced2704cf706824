import {
  foreignHashOf,
  isPasswordHash,
  unusableHash,
  withForeignHash,
} from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enrolled } from '../fixtures/enrolled.ts';
import { postForm, postJson } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { mailedCode, type Services, startServices } from '../fixtures/services.ts';

const PASSWORD = 'Hello world!';
const HASH = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.z6PrHbuSsMSSwIGFy1JGevQZf6CqJ1y';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { LOG_LEVEL: 'trace' } });
});
afterAll(() => services.stop());

const imported = (fields?: object) => newMember(services.db, { ...withForeignHash(HASH), ...fields });
const stored = (email: string) => services.db.users.findOne({ email });
const direct = async (email: string, password: string, at = services) =>
  (await postForm(`${at.login}/v2/login`, { email, password })).status;
const catalogue = async (email: string, password: string) =>
  (await postJson(`${services.login}/api/v1/auth/login`, { email, password })).status;

describe('an account with the hash of another system', () => {
  test.each([
    ['Direct', direct],
    ['catalogue', catalogue],
  ])('logs in at the %s contract, and then has an argon2id hash', async (_contract, login) => {
    const { email } = await imported();
    expect(await login(email, 'wrong')).toBe(401);
    expect(await stored(email)).toMatchObject({ foreign_hash: HASH });

    expect(await login(email, PASSWORD)).toBe(200);
    const replaced = await stored(email);
    expect(replaced).not.toHaveProperty('foreign_hash');
    expect(isPasswordHash(replaced?.password ?? '')).toBe(true);
    expect([await login(email, PASSWORD), await login(email, 'wrong')]).toStrictEqual([200, 401]);
  });

  test('logs in eight times at once', async () => {
    const { email } = await imported();
    const logins = await Promise.all(Array.from({ length: 8 }, () => direct(email, PASSWORD)));
    expect(new Set(logins)).toStrictEqual(new Set([200]));
    expect(await direct(email, PASSWORD)).toBe(200);
  });

  test('is not opened by the hash, nor by what rests in its place', async () => {
    const { email } = await imported();
    const user = await stored(email);
    for (const stolen of [HASH, user?.password ?? '']) expect(await direct(email, stolen)).toBe(401);
  });

  test('is not opened any more once its password has changed, by whatever version', async () => {
    const { email } = await imported();
    for (const password of [unusableHash(), 'another password']) {
      await services.db.users.updateOne({ email }, { $set: { password } });
      expect(await direct(email, PASSWORD)).toBe(401);
    }
  });

  test('is not opened by the hash of another account', async () => {
    const { email } = await imported();
    await services.db.users.updateOne({ email }, { $set: { foreign_hash: HASH.replace('2y', '2b') } });
    expect(await direct(email, PASSWORD)).toBe(401);
  });

  test('stays closed while it is disabled, and keeps the hash', async () => {
    const { email } = await imported({ account_status: 'disabled' });
    expect(await direct(email, PASSWORD)).toBe(401);
    expect(await stored(email)).toMatchObject({ foreign_hash: HASH });
  });

  test('still needs its second factor', async () => {
    const { email } = await enrolled(services.db, services.clock, withForeignHash(HASH));
    expect(await direct(email, PASSWORD)).toBe(403);
    expect(await direct(email, PASSWORD)).toBe(403);
  });

  test('loses the hash with a reset', async () => {
    const { email } = await imported();
    await postForm(`${services.user}/v2/forgot-password`, { email });
    const otp = await mailedCode(services.mailbox, email);
    const reset = { email, otp, new_password: 'another password' };
    expect((await postForm(`${services.user}/v2/reset-password`, reset)).status).toBe(200);
    expect(await stored(email)).not.toHaveProperty('foreign_hash');
    expect([await direct(email, PASSWORD), await direct(email, 'another password')]).toStrictEqual([
      401, 200,
    ]);
  });

  test('is refused, and named in the log, where the hash costs too much', async () => {
    const { email } = await imported(withForeignHash(HASH.replace('$05$', '$31$')));
    expect(await direct(email, PASSWORD)).toBe(401);
    expect(services.logged.some((line) => line.includes('costs too much to verify'))).toBe(true);
    expect(services.logged.some((line) => line.includes('CCCCCCCC'))).toBe(false);
  });

  test('gets an argon2id hash also where others are stored as submitted', async () => {
    const plain = await startServices({ env: { PASSWORD_STORAGE: 'plain' } });
    try {
      const { email } = await newMember(plain.db, withForeignHash(HASH));
      expect(await direct(email, PASSWORD, plain)).toBe(200);
      const user = await plain.db.users.findOne({ email });
      expect(isPasswordHash(user?.password ?? '')).toBe(true);
      expect(foreignHashOf(user ?? {})).toBeUndefined();
    } finally {
      await plain.stop();
    }
  });
});
