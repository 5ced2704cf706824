import { createHmac } from 'node:crypto';
import { createTokens, newSessionId } from '@gatehouse/shared/identity/tokens';
import { describe, expect, test } from 'vitest';
import { decodeToken } from '../../fixtures/http.ts';

const SECRET = 'a secret that only this file knows, 32 bytes and more';
const NOW = Date.UTC(2026, 0, 15, 9, 30);
const SECONDS = NOW / 1000;
const USER = { email: 'ada@example.com', user_id: 'User-123456' };
const OPERATOR = 'User-654321';
const SID = newSessionId(NOW);
const tokens = createTokens({ JWT_SECRET: SECRET });
const HEADER = { alg: 'HS256', typ: 'JWT', sid: SID, support: 'read', operator: OPERATOR };
const CRIT = { crit: ['support', 'operator'] };

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = (header: object, claims: object = { ...USER, exp: SECONDS + 3600 }) => {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
};
const issue = (lifetime: number) =>
  tokens.supportSession(USER, { mode: 'read', operator: OPERATOR }, NOW, { lifetime, sid: SID });

describe('the token of a support session', () => {
  test('has the claims of a session, and critical header parameters', () => {
    const { header, payload } = decodeToken(issue(900));
    expect(payload).toStrictEqual({ ...USER, exp: SECONDS + 900 });
    expect(header).toStrictEqual({ ...HEADER, ...CRIT });
  });

  test('lasts an hour at most', () => {
    expect(decodeToken(issue(7_200)).payload.exp).toBe(SECONDS + 3_600);
  });

  test('is verified with its mode and operator, and is not confirmed', () => {
    expect(tokens.verify(issue(900), NOW)).toStrictEqual({
      ok: true,
      claims: { ...USER, exp: SECONDS + 900 },
      sid: SID,
      support: { mode: 'read', operator: OPERATOR },
    });
    expect(tokens.verify(signed({ ...HEADER, ...CRIT, support: 'full' }), NOW)).toMatchObject({
      support: { mode: 'full', operator: OPERATOR },
    });
  });

  test('neither a provider nor a confirmation counts in it', () => {
    const token = signed({ ...HEADER, ...CRIT, sso: true, confirmed_at: SECONDS });
    expect(tokens.verify(token, NOW)).not.toHaveProperty('sso');
    expect(tokens.verify(token, NOW)).not.toHaveProperty('confirmedAt');
  });

  test.each<[string, object, object?]>([
    ['its parameters are not critical', HEADER],
    ['only the mode is there', { ...HEADER, operator: undefined }],
    ['only the operator is there', { ...HEADER, support: undefined }],
    ['the mode is unknown', { ...HEADER, ...CRIT, support: 'write' }],
    ['the mode is missing', { ...HEADER, ...CRIT, support: undefined }],
    ['the operator is missing', { ...HEADER, ...CRIT, operator: undefined }],
    ['the operator is empty', { ...HEADER, ...CRIT, operator: '' }],
    ['the operator is no string', { ...HEADER, ...CRIT, operator: 7 }],
    ['the list of critical parameters is shorter', { ...HEADER, crit: ['support'] }],
    ['another parameter is critical too', { ...HEADER, crit: ['support', 'operator', 'exp'] }],
    ['the list is no list', { ...HEADER, crit: 'support,operator' }],
    ['it has no sid', { ...HEADER, ...CRIT, sid: undefined }],
    ['it outlives the hour by a second', { ...HEADER, ...CRIT }, { ...USER, exp: SECONDS + 3_601 }],
    ['it is half a login', { ...HEADER, ...CRIT, typ: 'factor+jwt' }],
    ['it is half a login at a directory', { ...HEADER, ...CRIT, typ: 'ldap-factor+jwt' }],
    ['it is the ceremony of a passkey', { ...HEADER, ...CRIT, typ: 'passkey+jwt' }],
    ['it asks for a login code', { ...HEADER, ...CRIT, typ: 'login-code+jwt' }],
    ['it undoes a change of an address', { ...HEADER, ...CRIT, typ: 'email-undo+jwt' }],
    ['it is of a signup', { ...HEADER, ...CRIT }, { email: USER.email, otp_sent: true, exp: SECONDS + 60 }],
  ])('is refused if %s', (_, header, claims) => {
    expect(tokens.verify(signed(header, claims), NOW)).toStrictEqual({ ok: false, reason: 'invalid' });
  });

  test.each([
    ['factor+jwt', (token: string) => tokens.halfLoginOf(token, NOW)],
    ['ldap-factor+jwt', (token: string) => tokens.halfDirectoryLoginOf(token, NOW)],
    ['passkey+jwt', (token: string) => tokens.passkeyOf(token, NOW)],
    ['email-undo+jwt', (token: string) => tokens.emailUndoOf(token, NOW)],
    ['login-code+jwt', (token: string) => tokens.loginAttemptOf(token, USER.email, NOW)],
  ])('a token of the type %s with its parameters is accepted nowhere', (typ, read) => {
    const claims = { email: USER.email, account: 'a', attempt: 'b', exp: SECONDS + 60 };
    expect(read(signed({ alg: 'HS256', typ }, claims))).toBeDefined();
    expect(read(signed({ ...HEADER, ...CRIT, typ }, claims))).toBeUndefined();
  });

  test('a token of a signup with its parameters names no attempt', () => {
    const claims = { email: USER.email, otp_sent: true, exp: SECONDS + 60 };
    expect(tokens.attemptOf(signed({ alg: 'HS256', attempt: 'a' }, claims), USER.email, NOW)).toBe('a');
    const confused = signed({ ...HEADER, ...CRIT, attempt: 'a' }, claims);
    expect(tokens.attemptOf(confused, USER.email, NOW)).toBeNull();
  });
});
