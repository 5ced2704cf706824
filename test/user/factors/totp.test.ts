import { TOTP, URI } from 'otpauth';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { enrolled } from '../../fixtures/enrolled.ts';
import { failuresAt, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { postForm, postJson, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { BRAND_NAME: 'Acme: & Co' } });
});
afterAll(() => services.stop());

const { now } = { now: () => services.clock.now() };
const failure = failuresAt(now);
const iso = (at = now()) => new Date(at).toISOString();
type Account = { email: string; user_id?: string };
const auth = (user: Account) => ({ authorization: bearerOf(user, now(), { lifetime: 3_600 }) });
const call = (user: Account, method: string, path: string, body?: object, headers = auth(user)) => {
  const url = `${services.user}/api/v1/users/me/factors${path}`;
  return body ? sendJson(method, url, body, headers) : send(url, { method, headers });
};
const factors = (user: Account) => call(user, 'GET', '');
const begin = (user: Account) => call(user, 'POST', '/totp');
const confirm = (user: Account, enrollment_id: string, code: string) =>
  call(user, 'POST', '/totp/confirm', { enrollment_id, code });
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret }).generate({ timestamp: now() + steps * 30_000 });
const wrongFor = (secret: string) => {
  const right = [-1, 0, 1].map((steps) => codeOf(secret, steps));
  return ['000000', '000001', '000002', '000003'].find((code) => !right.includes(code)) ?? '';
};
const recordOf = ({ email }: Account) => services.db.users.findOne({ email });
const auditsOf = async ({ email }: Account) =>
  (await services.db.auditEvents.find({ email: email.toLowerCase() }).sort({ event_id: 1 }).toArray()).map(
    ({ action, outcome }) => [action, outcome],
  );
const mailsTo = ({ email }: Account) =>
  services.mailbox.mails
    .filter(({ recipients }) => recipients.includes(email))
    .map(({ content }) => content.subject);
const login = ({ email }: Account) =>
  postJson(`${services.login}/api/v1/auth/login`, { email, password: 'secret' });
const withCode = (factor_token: string, code: string) =>
  postJson(`${services.login}/api/v1/auth/login/factor`, { factor_token, code });

/** Enrolls an app over HTTP. */
async function newlyEnrolled() {
  const user = await newMember(services.db);
  const { enrollment_id, secret } = (await begin(user)).body;
  const { body } = await confirm(user, enrollment_id, codeOf(secret));
  return { ...user, secret, recovery_codes: body.recovery_codes as string[] };
}

describe('an enrollment', () => {
  test('begins with a secret, its URI and its QR code', async () => {
    const user = await newMember(services.db);
    const answer = await begin(user);
    expect(outcome(answer)).toEqual({
      status: 200,
      body: {
        enrollment_id: expect.any(String),
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        uri: expect.any(String),
        qr: expect.stringMatching(
          /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="[^<]*>.*<\/svg>$/s,
        ),
        expires_at: iso(now() + 900_000),
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { secret, uri, qr } = answer.body;
    expect(URI.parse(uri)).toMatchObject({
      issuer: 'Acme & Co',
      label: user.email,
      secret: { base32: secret },
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
    });
    expect(qr).not.toMatch(/script|on\w+=|href|foreignObject/i);
    // Until the first code, nothing changes.
    expect((await factors(user)).body).toEqual({
      totp: null,
      recovery_codes_left: 0,
      reset_at: null,
      password: { set: true, allowed: true },
    });
    expect((await login(user)).status).toBe(200);
    const stored = JSON.stringify(await recordOf(user));
    expect(stored).not.toContain(secret);
  });

  test('ends with its first code, which answers ten recovery codes', async () => {
    const user = await newMember(services.db);
    const { enrollment_id, secret } = (await begin(user)).body;
    const answer = await confirm(user, enrollment_id, ` ${codeOf(secret)} `);
    expect(outcome(answer)).toEqual({ status: 200, body: { recovery_codes: expect.any(Array) } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { recovery_codes } = answer.body;
    expect(new Set(recovery_codes).size).toBe(10);
    for (const code of recovery_codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    expect((await factors(user)).body).toEqual({
      totp: { enrolled_at: iso() },
      recovery_codes_left: 10,
      reset_at: null,
      password: { set: true, allowed: true },
    });
    const record = await recordOf(user);
    expect(record).not.toHaveProperty('pending_factor');
    for (const code of [secret, ...recovery_codes]) expect(JSON.stringify(record)).not.toContain(code);
    expect(await auditsOf(user)).toEqual([['factor.enroll', 'success']]);
    await eventually(() => expect(mailsTo(user)).toEqual(['An authenticator app protects your account']));

    // The first code is used; the session goes on.
    const half = await login(user);
    expect(half.body.error.code).toBe('SECOND_FACTOR_REQUIRED');
    const { factor_token } = half.body.error.details;
    expect((await withCode(factor_token, codeOf(secret))).status).toBe(401);
    expect((await withCode(factor_token, codeOf(secret, 1))).status).toBe(200);
    expect((await withCode(factor_token, recovery_codes[9])).status).toBe(200);
    expect((await factors(user)).body.recovery_codes_left).toBe(9);
  });

  test('is replaced by a second one: a swap between two tabs fails', async () => {
    const user = await newMember(services.db);
    const [first, second] = [(await begin(user)).body, (await begin(user)).body];
    const swapped = await confirm(user, first.enrollment_id, codeOf(first.secret));
    expect(outcome(swapped)).toEqual(
      failure(
        swapped,
        404,
        'RESOURCE_NOT_FOUND',
        'Not found',
        'The enrollment has expired, or another one has replaced it',
      ),
    );
    // The code of one app does not enroll the other.
    expect((await confirm(user, second.enrollment_id, wrongFor(second.secret))).status).toBe(401);
    expect((await confirm(user, second.enrollment_id, codeOf(second.secret))).status).toBe(200);
  });

  test('by another account enrolls nothing', async () => {
    const [ada, eve] = [await newMember(services.db), await newMember(services.db)];
    const { enrollment_id, secret } = (await begin(ada)).body;
    expect((await confirm(eve, enrollment_id, codeOf(secret))).status).toBe(404);
    expect((await factors(eve)).body.totp).toBeNull();
  });

  test('expires after 15 minutes', async () => {
    const user = await newMember(services.db);
    const { enrollment_id, secret } = (await begin(user)).body;
    services.clock.advance(901);
    expect((await confirm(user, enrollment_id, codeOf(secret))).status).toBe(404);
  });

  test('confirmed twice at once, enrolls once', async () => {
    const user = await newMember(services.db);
    const { enrollment_id, secret } = (await begin(user)).body;
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => confirm(user, enrollment_id, codeOf(secret))),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect(statuses.slice(1).every((status) => status === 404 || status === 409)).toBe(true);
    const [enrolling] = answers.filter(({ status }) => status === 200);
    const { factor_token } = (await login(user)).body.error.details;
    expect((await withCode(factor_token, enrolling?.body.recovery_codes[0])).status).toBe(200);
  });

  test('answers ten wrong codes in 15 minutes', async () => {
    const user = await newMember(services.db);
    const { enrollment_id, secret } = (await begin(user)).body;
    const wrong = wrongFor(secret);
    for (let guess = 0; guess < 10; guess += 1) {
      const answer = await confirm(user, enrollment_id, wrong);
      expect(outcome(answer)).toEqual(failure(answer, 401, 'INVALID_CREDENTIALS', 'Invalid code'));
    }
    const refused = await confirm(user, enrollment_id, codeOf(secret));
    expect(outcome(refused)).toEqual(rateLimited(10, 900, now()));
    expect((await auditsOf(user)).at(-1)).toEqual(['factor.enroll', 'Invalid code']);
  });

  test('is 409 for an account that has a second factor', async () => {
    const user = await newlyEnrolled();
    for (const answer of [await begin(user), await confirm(user, 'any', '123456')])
      expect(outcome(answer)).toEqual(
        failure(
          answer,
          409,
          'DUPLICATE_RESOURCE',
          'Resource already exists',
          'The account has a second factor',
        ),
      );
  });

  test('needs a user_id', async () => {
    const user = await newMember(services.db, { user_id: undefined });
    expect((await factors(user)).status).toBe(200);
    expect((await begin(user)).status).toBe(403);
  });
});

describe('recovery codes', () => {
  test('are replaced by ten new ones', async () => {
    const user = await newlyEnrolled();
    const answer = await call(user, 'POST', '/recovery-codes');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { factor_token } = (await login(user)).body.error.details;
    expect((await withCode(factor_token, user.recovery_codes[0] ?? '')).status).toBe(401);
    expect((await withCode(factor_token, answer.body.recovery_codes[0])).status).toBe(200);
    expect(await auditsOf(user)).toContainEqual(['factor.recovery_codes', 'success']);
    await eventually(() =>
      expect(mailsTo(user).sort()).toEqual(
        [
          'An authenticator app protects your account',
          'Your account has new recovery codes',
          'A recovery code of your account was used',
        ].sort(),
      ),
    );
  });
});

test('the eleventh change within an hour is refused and changes nothing', async () => {
  const user = await newlyEnrolled();
  for (let turn = 1; turn < 10; turn += 1)
    expect((await call(user, 'POST', '/recovery-codes')).status).toBe(200);
  expect(outcome(await call(user, 'POST', '/recovery-codes'))).toEqual(rateLimited(10, 3600, now()));
  expect((await call(user, 'DELETE', '/totp')).status).toBe(200);
  const { enrollment_id, secret } = (await begin(user)).body;
  expect((await confirm(user, enrollment_id, codeOf(secret))).status).toBe(429);
  expect(await recordOf(user)).not.toHaveProperty('second_factor');
});

describe('a removal', () => {
  test('lets the password alone log in again', async () => {
    const user = await newlyEnrolled();
    const { factor_token } = (await login(user)).body.error.details;
    const answer = await call(user, 'DELETE', '/totp');
    expect(outcome(answer)).toEqual({ status: 200, body: { message: 'Second factor removed' } });
    expect((await login(user)).status).toBe(200);
    // Half a login from before ends with the factor, also with a recovery code.
    expect((await withCode(factor_token, user.recovery_codes[0] ?? '')).status).toBe(401);
    expect(await auditsOf(user)).toContainEqual(['factor.disable', 'success']);
    await eventually(() => expect(mailsTo(user)).toContain('Your account asks for no codes any more'));
    // An enrollment anew has another secret, so no earlier code counts.
    const again = (await begin(user)).body;
    expect(again.secret).not.toBe(user.secret);
    expect((await confirm(user, again.enrollment_id, codeOf(again.secret))).status).toBe(200);
    expect((await withCode(factor_token, codeOf(again.secret, 1))).status).toBe(401);
  });
});

test.each([
  ['DELETE', '/totp'],
  ['POST', '/recovery-codes'],
])('%s %s is 404 without a second factor', async (method, path) => {
  const answer = await call(await newMember(services.db), method, path);
  expect(outcome(answer)).toEqual(failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
});

test.each([
  ['POST', '/totp', undefined],
  ['POST', '/totp/confirm', { enrollment_id: 'x', code: '123456' }],
  ['DELETE', '/totp', undefined],
  ['POST', '/recovery-codes', undefined],
])('%s %s is refused for an account without a user_id', async (method, path, body) => {
  const user = await newMember(services.db, { user_id: undefined });
  const answer = await call(user, method, path, body);
  expect(outcome(answer)).toStrictEqual(failure(answer, 403, 'FORBIDDEN', 'Forbidden'));
});

test.each([
  ['POST', '/totp'],
  ['POST', '/totp/confirm', { enrollment_id: 'any', code: '123456' }],
  ['DELETE', '/totp'],
  ['POST', '/recovery-codes'],
] as const)(
  '%s %s needs a fresh session and changes nothing without',
  async (method, path, body?: object) => {
    const user = await enrolled(services.db, services.clock);
    const headers = auth(user);
    services.clock.advance(601);
    const before = await recordOf(user);
    const answer = await call(user, method, path, body, headers);
    expect([answer.status, answer.body.error.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect(await recordOf(user)).toEqual(before);
  },
);

test('a refusal for a stale session is not kept for its Idempotency-Key', async () => {
  const gateway = await startGateway({
    clock: services.clock,
    database: services.db as never,
    env: { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
  });
  onTestFinished(() => gateway.stop());
  const user = await enrolled(services.db, services.clock);
  const stale = auth(user);
  services.clock.advance(601);
  const remove = (headers: object) =>
    send(`${gateway.url}/api/v1/users/me/factors/totp`, {
      method: 'DELETE',
      headers: { ...headers, 'idempotency-key': 'remove-1' },
    });
  expect((await remove(stale)).status).toBe(403);
  expect((await remove(auth(user))).status).toBe(200);
  // The answer of the call that was made is repeated.
  expect((await remove(auth(user))).status).toBe(200);
});

test('no answer and no audit event of a factor holds a secret', async () => {
  const user = await newlyEnrolled();
  const events = JSON.stringify(await services.db.auditEvents.find({}).toArray());
  for (const secret of [user.secret, ...user.recovery_codes]) expect(events).not.toContain(secret);
  const profile = await send(`${services.user}/api/v1/users/me`, { headers: auth(user) });
  expect(JSON.stringify(profile.body)).not.toMatch(/factor/);
});

test('a password reset keeps the second factor', async () => {
  const user = await newlyEnrolled();
  await postForm(`${services.user}/v2/forgot-password`, { email: user.email });
  const mail = services.mailbox.mails.find(
    ({ recipients, content }) => recipients.includes(user.email) && /\b\d{6}\b/.test(content.text ?? ''),
  );
  const otp = /\b\d{6}\b/.exec(mail?.content.text ?? '')?.[0] ?? '';
  const form = { email: user.email, otp, new_password: 'secret' };
  expect((await postForm(`${services.user}/v2/reset-password`, form)).status).toBe(200);
  expect((await login(user)).body.error.code).toBe('SECOND_FACTOR_REQUIRED');
});
