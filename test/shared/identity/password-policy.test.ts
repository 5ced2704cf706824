import { createHash } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { createPasswordPolicy } from '@gatehouse/shared/identity/password-policy';
import { createOutbound } from '@gatehouse/shared/outbound/outbound';
import { afterEach, describe, expect, test } from 'vitest';
import { startHttp } from '../../fixtures/gateway.ts';
import { testConfig } from '../../fixtures/services.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const PERSON = { email: 'ada.king@example.com', name: 'Ada Lovelace' };
const GOOD = 'pebble orbit lantern';

function policy(env: NodeJS.ProcessEnv = {}, lookupTimeout = 10_000) {
  const config = testConfig('user', {
    PASSWORD_POLICY: 'nist',
    BRAND_NAME: 'Gatehouse',
    SSO_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...env,
  });
  const lookups: string[] = [];
  const outbound = createOutbound(config);
  stops.push(() => outbound.close());
  const check = createPasswordPolicy({
    config,
    outbound,
    countLookup: (result) => void lookups.push(result),
    log: { warn() {} },
    lookupTimeout,
  });
  return {
    /** The words of the refusal; undefined for a password that is accepted. */
    refusalOf: (password: string, person: object = PERSON) =>
      check({ field: 'password', password, person: person as typeof PERSON }).then(
        () => undefined,
        (error) => {
          expect(error).toBeInstanceOf(AppError);
          expect(error.reason).toBe('invalidFormat');
          return error.message as string;
        },
      ),
    lookups,
  };
}

const ADVICE = 'Choose another, for example a few unrelated words.';

describe('nist', () => {
  test.each<[string, string, string]>([
    ['seven bytes', 'pebble7', 'must not be shorter than 8 bytes.'],
    ['a common password', 'password', 'is one of the most common passwords.'],
    ['a common password in capitals', 'PassWord', 'is one of the most common passwords.'],
    ['a common sequence', 'qwertyuiop', 'is one of the most common passwords.'],
    ...[
      'ada.king@example.com',
      'ADA.KING',
      'AdaLovelace',
      'ada lovelace',
      'Lovelace1815!',
      '!!Gatehouse2026',
    ].map((text): [string, string, string] => [
      text,
      text,
      'must not be your name, your e-mail address or the name of this service.',
    ]),
  ])('refuses %s', async (_, password, words) => {
    expect(await policy().refusalOf(password)).toBe(`password ${words} ${ADVICE}`);
  });

  test.each([GOOD, 'lovelace and pebbles', '😀😀', 'ÄÖÜÄÖÜÄÖ', '        ', 'pebble12'])(
    'accepts %j',
    async (password) => {
      expect(await policy().refusalOf(password)).toBeUndefined();
    },
  );

  test('knows 5,000 common passwords of at least 8 bytes', async () => {
    const { refusalOf } = policy();
    expect(await refusalOf('iloveyou')).toBeDefined();
    const words = `password is one of the most common passwords. ${ADVICE}`;
    for (const each of ['12345678', 'trustno1', '1qaz2wsx', 'baseball'])
      expect(await refusalOf(each)).toBe(words);
    expect(await refusalOf('Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.')).toBeUndefined();
  });

  test('accounts without a name, or with a short one, refuse nothing of it', async () => {
    const { refusalOf } = policy();
    expect(await refusalOf('pebble orbit', { email: 'a@example.com' })).toBeUndefined();
    expect(await refusalOf('a1234567891', { email: 'a@example.com', name: 'A' })).toBeUndefined();
  });
});

test('none accepts everything', async () => {
  expect(await policy({ PASSWORD_POLICY: 'none' }).refusalOf('a')).toBeUndefined();
});

describe('breached passwords', () => {
  const digest = createHash('sha1').update(GOOD).digest('hex').toUpperCase();

  async function range(answer: (url: string) => { status?: number; body: string } | undefined) {
    const received: { url: string | undefined; padding: unknown }[] = [];
    const http = await startHttp((request, response) => {
      received.push({ url: request.url, padding: request.headers['add-padding'] });
      const answered = answer(request.url ?? '');
      if (answered) response.writeHead(answered.status ?? 200).end(answered.body);
    });
    stops.push(http.stop);
    return { received, PASSWORD_BREACH_URL: `${http.url}/range` };
  }
  const listed = (count: number) => ({
    body: `${'0'.repeat(35)}:3\r\n${digest.slice(5)}:${count}\r\n${'F'.repeat(35)}:0`,
  });

  test('are refused, and only five digits are sent, with padding', async () => {
    const { received, ...env } = await range(() => listed(7));
    const { refusalOf, lookups } = policy(env);
    expect(await refusalOf(GOOD)).toBe(`password is known from a data breach. ${ADVICE}`);
    expect(received).toEqual([{ url: `/range/${digest.slice(0, 5)}`, padding: 'true' }]);
    expect(lookups).toEqual(['found']);
  });

  test('padding is no breach', async () => {
    const { received: _, ...env } = await range(() => listed(0));
    const { refusalOf, lookups } = policy(env);
    expect(await refusalOf(GOOD)).toBeUndefined();
    expect(lookups).toEqual(['clear']);
  });

  test('a password that is refused anyway is not looked up', async () => {
    const { received, ...env } = await range(() => listed(7));
    expect(await policy(env).refusalOf('password')).toContain('common');
    expect(received).toEqual([]);
  });

  test.each([
    ['fails', () => ({ status: 503, body: '' })],
    ['answers with a redirect', () => ({ status: 302, body: '' })],
    ['does not answer', () => undefined],
  ])('a lookup that %s is skipped and counted', async (_, answer) => {
    const { received: __, ...env } = await range(answer);
    const { refusalOf, lookups } = policy(env, 100);
    expect(await refusalOf(GOOD)).toBeUndefined();
    expect(lookups).toEqual(['failed']);
  });

  test('are not looked up in networks that are not allowed', async () => {
    const { received, ...env } = await range(() => listed(7));
    expect(await policy({ ...env, SSO_ALLOWED_NETWORKS: '' }).refusalOf(GOOD)).toBeUndefined();
    expect(received).toEqual([]);
  });
});
