import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeToken } from '../../fixtures/http.ts';
import { runs } from '../../fixtures/property.ts';

const SECRET = 'a secret that only the tests know, 32 bytes and more';
const PREVIOUS = 'the secret before the present one, also 32 bytes';
/** Not on a whole second, to test the rounding. */
const NOW = Date.UTC(2026, 0, 15, 9, 30) + 789;
const SECONDS = Math.floor(NOW / 1000);
const USER = { email: 'Ada@example.com', user_id: 'User-123456' };
const tokens = createTokens({ JWT_SECRET: SECRET });

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const hmac = (hash: string, text: string, secret: string) =>
  createHmac(hash, secret).update(text).digest('base64url');

/** Builds a token by hand with any header, payload and signature. */
const forge = (payload: unknown, options = {}) => forgeText(JSON.stringify(payload), options);

function forgeText(payload: string, { header = {}, hash = 'sha256', secret = SECRET } = {}) {
  const encoded = Buffer.from(payload).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT', ...header })}.${encoded}`;
  return `${signed}.${hmac(hash, signed, secret)}`;
}
const CLAIMS = { email: USER.email, user_id: USER.user_id, exp: SECONDS + 60 };
const INVALID = { ok: false, reason: 'invalid' };
const EXPIRED = { ok: false, reason: 'expired' };

describe('session', () => {
  test('has exactly these claims and header: no iat, a UUIDv7 as sid', () => {
    const { header, payload } = decodeToken(tokens.session(USER, NOW));
    expect(payload).toStrictEqual({ email: 'Ada@example.com', user_id: 'User-123456', exp: SECONDS + 1800 });
    expect(header).toStrictEqual({
      alg: 'HS256',
      typ: 'JWT',
      sid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    });
  });

  test('user_id may be null', () => {
    const token = tokens.session({ email: 'a@b', user_id: null }, NOW);
    expect(decodeToken(token).payload).toStrictEqual({ email: 'a@b', user_id: null, exp: SECONDS + 1800 });
    expect(tokens.verify(token, NOW)).toMatchObject({ ok: true, claims: { user_id: null } });
  });

  test('two tokens of one second differ', () => {
    expect(tokens.session(USER, NOW)).not.toBe(tokens.session(USER, NOW));
  });

  test('the signature is HMAC-SHA256 with the secret', () => {
    const [header, payload, signature] = tokens.session(USER, NOW).split('.');
    expect(signature).toBe(hmac('sha256', `${header}.${payload}`, SECRET));
  });

  test('takes only email and user_id from the record', () => {
    const record = { ...USER, password: 'x', otp: '123456', verified: true };
    expect(Object.keys(decodeToken(tokens.session(record, NOW)).payload).sort()).toEqual([
      'email',
      'exp',
      'user_id',
    ]);
  });
});

describe('otpSent', () => {
  test('has exactly these claims and header', () => {
    const { header, payload } = decodeToken(tokens.otpSent('Ada@example.com', NOW));
    expect(payload).toStrictEqual({ email: 'Ada@example.com', otp_sent: true, exp: SECONDS + 1800 });
    expect(header).toStrictEqual({ alg: 'HS256', typ: 'JWT' });
  });

  test('carries the attempt in the header', () => {
    const { header, payload } = decodeToken(tokens.otpSent('Ada@example.com', NOW, 'attempt-1'));
    expect(Object.keys(payload)).toStrictEqual(['email', 'otp_sent', 'exp']);
    expect(header).toStrictEqual({ alg: 'HS256', typ: 'JWT', attempt: 'attempt-1' });
  });

  test('is not accepted as a bearer', () => {
    for (const token of [tokens.otpSent(USER.email, NOW), tokens.otpSent(USER.email, NOW, 'attempt-1')])
      expect(tokens.verify(token, NOW)).toEqual(INVALID);
  });
});

describe('attemptOf', () => {
  const exp = SECONDS + 60;
  const header = { attempt: 'attempt-1' };
  const claims = { email: USER.email, otp_sent: true, exp };

  test('returns the attempt of a token for this e-mail, in any case, until it expires', () => {
    const token = tokens.otpSent(USER.email, NOW, 'attempt-1');
    expect(tokens.attemptOf(token, USER.email.toUpperCase(), NOW)).toBe('attempt-1');
    expect(tokens.attemptOf(token, USER.email, (SECONDS + 1800) * 1000 - 1)).toBe('attempt-1');
    expect(tokens.attemptOf(token, USER.email, (SECONDS + 1800) * 1000)).toBeNull();
    expect(tokens.attemptOf(forge(claims, { header }), USER.email, NOW)).toBe('attempt-1');
  });

  test.each<[string, string]>([
    ['text', 'token'],
    ['an empty text', ''],
    ['another e-mail', forge({ ...claims, email: 'eve@example.com' }, { header })],
    ['an e-mail that a collation equates', forge({ ...claims, email: '\uff21da@example.com' }, { header })],
    ['no e-mail', forge({ otp_sent: true, exp }, { header })],
    ['no otp_sent', forge({ email: USER.email, exp }, { header })],
    ['otp_sent that is not true', forge({ ...claims, otp_sent: 'true' }, { header })],
    ['no exp', forge({ email: USER.email, otp_sent: true }, { header })],
    ['another secret', forge(claims, { header, secret: 'another secret' })],
    ['another algorithm', forge(claims, { header: { ...header, alg: 'HS512' }, hash: 'sha512' })],
    ['alg none', forge(claims, { header: { ...header, alg: 'none' } })],
    ['a critical extension', forge(claims, { header: { ...header, crit: ['x'] } })],
    ['no attempt', forge(claims)],
    ['an empty attempt', forge(claims, { header: { attempt: '' } })],
    ['an attempt that is not a string', forge(claims, { header: { attempt: { $ne: '' } } })],
    ['a session', tokens.session(USER, NOW)],
  ])('returns null for %s', (_what, token) => {
    expect(tokens.attemptOf(token, USER.email, NOW)).toBeNull();
  });
});

describe('verify', () => {
  test('accepts a token of session()', () => {
    const token = tokens.session(USER, NOW);
    expect(tokens.verify(token, NOW)).toStrictEqual({
      ok: true,
      claims: { ...USER, exp: SECONDS + 1800 },
      sid: decodeToken(token).header.sid,
    });
  });

  test('accepts a token without sid', () => {
    expect(tokens.verify(forge(CLAIMS), NOW)).toStrictEqual({ ok: true, claims: CLAIMS, sid: undefined });
  });

  test.each<[string, number, object]>([
    ['in its last millisecond', 1_799_999 - 789, { ok: true }],
    ['30 minutes later', 1_800_000 - 789, EXPIRED],
    ['a day later', 86_400_000, EXPIRED],
  ])('%s', (_when, later, expected) => {
    expect(tokens.verify(tokens.session(USER, NOW), NOW + later)).toMatchObject(expected);
  });

  test.each<[string, string]>([
    ['no exp', forge({ email: 'a@b', user_id: 'u' })],
    ['exp null', forge({ ...CLAIMS, exp: null })],
    ['exp a string', forge({ ...CLAIMS, exp: String(CLAIMS.exp) })],
    ['exp with a fraction', forge({ ...CLAIMS, exp: CLAIMS.exp + 0.5 })],
    ['exp true', forge({ ...CLAIMS, exp: true })],
    ['exp an array', forge({ ...CLAIMS, exp: [CLAIMS.exp] })],
    ['exp Infinity', forgeText('{"email":"a@b","user_id":"u","exp":1e999}')],
    ['otp_sent true', forge({ ...CLAIMS, otp_sent: true })],
    ['otp_sent false', forge({ ...CLAIMS, otp_sent: false })],
    ['otp_sent null', forge({ ...CLAIMS, otp_sent: null })],
    ['no user_id', forge({ email: 'a@b', exp: CLAIMS.exp })],
    ['user_id a number', forge({ ...CLAIMS, user_id: 123456 })],
    ['user_id an object', forge({ ...CLAIMS, user_id: { $ne: null } })],
    ['user_id false', forge({ ...CLAIMS, user_id: false })],
    ['no email', forge({ user_id: 'u', exp: CLAIMS.exp })],
    ['email an object', forge({ ...CLAIMS, email: { $ne: null } })],
    ['email null', forge({ ...CLAIMS, email: null })],
    ['a payload that is not JSON', forgeText('{')],
    ['an empty payload', forgeText('')],
    ['a payload of null', forge(null)],
    ['a payload that is a string', forge('CLAIMS')],
    ['a payload that is an array', forge([CLAIMS])],
    ['another secret', forge(CLAIMS, { secret: 'another secret' })],
    ['an empty secret', forge(CLAIMS, { secret: '' })],
    ['alg none, unsigned', `${part({ alg: 'none', typ: 'JWT' })}.${part(CLAIMS)}.`],
    ['alg none, signed', forge(CLAIMS, { header: { alg: 'none' } })],
    ['alg None', `${part({ alg: 'None' })}.${part(CLAIMS)}.`],
    ['alg HS384', forge(CLAIMS, { header: { alg: 'HS384' }, hash: 'sha384' })],
    ['alg HS512', forge(CLAIMS, { header: { alg: 'HS512' }, hash: 'sha512' })],
    ['alg HS256 over SHA-512', forge(CLAIMS, { hash: 'sha512' })],
    ['alg hs256', forge(CLAIMS, { header: { alg: 'hs256' } })],
    ['alg RS256 signed with the secret', forge(CLAIMS, { header: { alg: 'RS256' } })],
    ['no alg', forge(CLAIMS, { header: { alg: undefined } })],
    ['crit', forge(CLAIMS, { header: { crit: ['exp'] } })],
    ['crit that is empty', forge(CLAIMS, { header: { crit: [] } })],
    ['crit b64', forge(CLAIMS, { header: { crit: ['b64'], b64: false } })],
    ['crit null', forge(CLAIMS, { header: { crit: null } })],
  ])('%s is invalid', (_what, token) => {
    expect(tokens.verify(token, NOW)).toEqual(INVALID);
  });

  test('refuses RS256, with any key and with the public key as HS256 secret', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(CLAIMS)}`;
    const token = `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`;
    expect(tokens.verify(token, NOW)).toEqual(INVALID);
    expect(createTokens({ JWT_SECRET: pem }).verify(token, NOW)).toEqual(INVALID);
  });

  test('an edited payload is invalid', () => {
    const [header, , signature] = tokens.session(USER, NOW).split('.');
    const edited = part({ ...USER, user_id: 'User-999999', exp: SECONDS + 1800 });
    expect(tokens.verify(`${header}.${edited}.${signature}`, NOW)).toEqual(INVALID);
  });

  test('an edited session id is invalid', () => {
    const [, payload, signature] = tokens.session(USER, NOW).split('.');
    expect(tokens.verify(`${part({ alg: 'HS256', typ: 'JWT' })}.${payload}.${signature}`, NOW)).toEqual(
      INVALID,
    );
  });

  test('refuses any changed or added character', () => {
    const token = tokens.session(USER, NOW);
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      expect(tokens.verify(token.slice(0, at) + other + token.slice(at + 1), NOW)).toEqual(INVALID);
    }
    for (const more of ['=', 'A', ' ', '\n', '\0', '.', '.x']) {
      expect(tokens.verify(token + more, NOW)).toEqual(INVALID);
      expect(tokens.verify(more + token, NOW)).toEqual(INVALID);
    }
  });

  test('refuses other spellings of the unused bits of the signature', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const token = tokens.session(USER, NOW);
    const accepted = [...alphabet].filter((last) => tokens.verify(token.slice(0, -1) + last, NOW).ok);
    expect(accepted).toEqual([token.at(-1)]);
  });

  test.each<[string, string, object]>([
    ['is reported as expired', forge({ ...CLAIMS, exp: SECONDS - 1 }), EXPIRED],
    ['from 1970 is expired', forge({ ...CLAIMS, exp: 0 }), EXPIRED],
    ['that expires now is expired', forge({ ...CLAIMS, exp: SECONDS }), EXPIRED],
    ['with a wrong signature is invalid', forge({ ...CLAIMS, exp: 1 }, { secret: 'x' }), INVALID],
    ['with another algorithm is invalid', forge({ ...CLAIMS, exp: 1 }, { header: { alg: 'none' } }), INVALID],
    ['with crit is invalid', forge({ ...CLAIMS, exp: 1 }, { header: { crit: ['exp'] } }), INVALID],
    // CONTRACT.md §Bearer: expiry is reported before other invalid claims.
    ['with otp_sent is expired', forge({ email: 'a@b', otp_sent: true, exp: 1 }), EXPIRED],
    ['without a user_id is expired', forge({ email: 'a@b', exp: 1 }), EXPIRED],
  ])('an expired token %s', (_what, token, expected) => {
    expect(tokens.verify(token, NOW)).toEqual(expected);
  });

  test('garbage is invalid and never throws', () => {
    const piece = fc.oneof(
      fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      fc.base64String(),
      fc.json({ maxDepth: 2 }).map((json) => Buffer.from(json).toString('base64url')),
      fc.constantFrom('', '.', '..', part({ alg: 'HS256' }), part({ alg: 'none' }), part(CLAIMS), 'bnVsbA'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        expect(tokens.verify(pieces.join('.'), NOW)).toEqual(INVALID);
      }),
      runs(2_000),
    );
  });

  test('correctly signed payloads and headers of any shape never throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (payload, header) => {
        expect(tokens.verify(forge(payload, { header: { ...header, alg: 'HS256' } }), NOW).ok).toBe(false);
      }),
      runs(2_000),
    );
  });
});

describe('JWT_SECRET_PREVIOUS', () => {
  const rotated = createTokens({ JWT_SECRET: SECRET, JWT_SECRET_PREVIOUS: PREVIOUS });

  test('accepts its tokens', () => {
    const token = createTokens({ JWT_SECRET: PREVIOUS }).session(USER, NOW);
    expect(rotated.verify(token, NOW)).toMatchObject({ ok: true, claims: USER });
    expect(tokens.verify(token, NOW)).toEqual(INVALID);
  });

  test('checks their expiry', () => {
    const token = createTokens({ JWT_SECRET: PREVIOUS }).session(USER, NOW);
    expect(rotated.verify(token, NOW + 1_800_000)).toEqual(EXPIRED);
  });

  test('is never used to sign', () => {
    for (const token of [rotated.session(USER, NOW), rotated.otpSent(USER.email, NOW)]) {
      const [header, payload, signature] = token.split('.');
      expect(signature).toBe(hmac('sha256', `${header}.${payload}`, SECRET));
    }
  });

  test('refuses a third secret', () => {
    expect(rotated.verify(forge(CLAIMS, { secret: 'third' }), NOW)).toEqual(INVALID);
  });
});
