import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { decodeToken, postForm, postJson } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { startReceiver, status } from '../fixtures/receiver.ts';
import { JWT_SECRET, mailedCode, type Services, startServices, testConfig } from '../fixtures/services.ts';
import { runDeletions } from '../user/account/deletion/run-deletions.ts';

const TOKEN = 'the old system knows this';
const PASSWORD = 'old password';

let old: Awaited<ReturnType<typeof startReceiver>>;
let services: Services;
beforeAll(async () => {
  old = await startReceiver();
  services = await startServices({
    env: {
      LEGACY_LOGIN_URL: `${old.url}/login`,
      LEGACY_LOGIN_TOKEN: TOKEN,
      SSO_ALLOWED_NETWORKS: '127.0.0.0/8',
      LOG_LEVEL: 'trace',
    },
    legacyTimeout: 500,
  });
});
afterAll(async () => {
  await services.stop();
  await old.stop();
});
afterEach(() => {
  old.received.length = 0;
  old.answers = [];
});

let people = 0;
function newAddress(): string {
  people += 1;
  return `Moving${people}@example.com`;
}
const json = (body: unknown) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
/** The answer that lets a person in whose address is verified. */
const person = (email: string, fields: object = {}) => json({ email, email_verified: true, ...fields });
const answers = (...each: ((response: ServerResponse) => void)[]) => {
  old.answers = each;
};

const direct = async (email: string, password = PASSWORD) => {
  const { status: code, body } = await postForm(`${services.login}/v2/login`, { email, password });
  return { status: code, body };
};
const catalogue = async (email: string, password = PASSWORD) => {
  const { status: code, body } = await postJson(`${services.login}/api/v1/auth/login`, { email, password });
  return { status: code, body };
};
const stored = (email: string) => services.db.users.findOne({ email });

const unknown = { status: 404, body: { detail: 'User does not exist, please create a new account.' } };
const unavailable = { status: 503, body: { detail: 'Service unavailable' } };

describe('an address without an account', () => {
  test.each([
    ['Direct', direct],
    ['catalogue', catalogue],
  ])('gets one at the %s login, once, and logs in', async (_contract, login) => {
    const email = newAddress();
    answers(json({ email: email.toLowerCase(), email_verified: true, name: 'Ada Byron', id: 17 }));
    const { status: code, body } = await login(email);
    expect(code).toBe(200);
    const user = await stored(email);
    expect(user).toMatchObject({
      email,
      name: 'Ada Byron',
      verified: true,
      account_status: 'active',
      user_id: expect.stringMatching(/^User-\d{6}$/),
      password: expect.stringMatching(/^\$argon2id\$/),
      imported: { from: 'legacy', at: expect.any(Date), id: '17' },
      features_assigned: true,
      subscription_id: 'free',
    });
    expect(user).not.toHaveProperty('activated_at');
    expect(await services.db.features.countDocuments({ user_id: user?.user_id as string })).toBe(1);
    const token = body.token ?? body.access_token;
    expect(decodeToken(token).payload).toMatchObject({ email, user_id: user?.user_id });
    // The account has the password now: nobody is asked again.
    expect((await login(email)).status).toBe(200);
    expect((await login(email, 'wrong')).status).toBe(401);
    expect(old.received).toHaveLength(1);
  });

  test('is sent with its password, the bearer and the address of the client, and nothing else', async () => {
    const email = newAddress();
    answers(person(email));
    expect((await direct(email)).status).toBe(200);
    const [asked] = old.received;
    expect(JSON.parse(asked?.body ?? '')).toStrictEqual({ email, password: PASSWORD });
    expect(asked?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'x-forwarded-for': expect.stringMatching(/127\.0\.0\.1$/),
    });
    expect((await stored(email))?.name).toBe(email.split('@')[0]);
  });

  test('accepts its invitations and is audited for its person, without the password in any log', async () => {
    const email = newAddress();
    answers(person(email, { id: 'abc' }));
    expect((await direct(email)).status).toBe(200);
    const user_id = (await stored(email))?.user_id as string;
    const events = await services.db.auditEvents.find({ user_id }).sort({ _id: 1 }).toArray();
    expect(events.map(({ action, outcome }) => [action, outcome])).toStrictEqual([
      ['account.import', 'success'],
      ['login', 'success'],
    ]);
    expect(events[0]).toMatchObject({ user_id, after: { from: 'legacy', id: 'abc' } });
    expect(services.logged.join('')).not.toContain(PASSWORD);
    expect(services.logged.join('')).not.toContain(TOKEN);
  });

  test.each([401, 403, 404])('stays unknown when the old system answers %i', async (code) => {
    const email = newAddress();
    answers(status(code));
    expect(await direct(email)).toEqual(unknown);
    expect(await catalogue(email)).toMatchObject({ status: 401 });
    expect(await stored(email)).toBeNull();
    expect(old.received).toHaveLength(2);
  });

  test('that several logins try at once gets one account', async () => {
    const email = newAddress();
    answers(person(email));
    const logins = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 ? direct : catalogue)(email)),
    );
    expect(logins.map(({ status: code }) => code)).toStrictEqual(Array(6).fill(200));
    expect(await services.db.users.countDocuments({ email })).toBe(1);
    const user_id = (await stored(email))?.user_id as string;
    expect(await services.db.auditEvents.countDocuments({ action: 'account.import', user_id })).toBe(1);
  });

  test('that the old system has not verified becomes a signup, which a mailed code opens', async () => {
    const email = newAddress();
    answers(json({ email, email_verified: false }));
    expect(await direct(email)).toEqual({ status: 403, body: { detail: 'Account not verified' } });
    expect(await stored(email)).toMatchObject({ verified: false, account_status: 'paused' });
    expect((await stored(email))?.user_id).toBeUndefined();
    await postForm(`${services.user}/v2/forgot-password`, { email });
    const otp = await mailedCode(services.mailbox, email);
    expect((await postForm(`${services.user}/v2/verify-otp`, { email, otp })).status).toBe(200);
    expect((await direct(email)).status).toBe(200);
    expect(old.received).toHaveLength(1);
  });

  test('keeps the user_id that the old system names, if it is free', async () => {
    const [first, second] = [newAddress(), newAddress()];
    const user_id = 'User-7654321';
    answers(person(first, { user_id }), person(second, { user_id }));
    expect((await direct(first)).status).toBe(200);
    expect((await stored(first))?.user_id).toBe(user_id);
    expect(await direct(second)).toEqual(unavailable);
    expect(await stored(second)).toBeNull();
  });
});

describe('an address that was here', () => {
  const forgotten = async (email: string) => {
    old.received.length = 0;
    answers(person(email));
    expect(await direct(email)).toEqual(unknown);
    expect(await catalogue(email)).toMatchObject({ status: 401 });
    expect(await stored(email)).toBeNull();
    expect(old.received).toHaveLength(0);
  };

  test.each([
    ['moved', true],
    ['signed up here', false],
  ])('does not come back once its account, which %s, was deleted, and is not kept', async (_, moved) => {
    const { db, clock } = services;
    const email = newAddress();
    if (moved) {
      answers(person(email));
      expect((await direct(email)).status).toBe(200);
    } else await newMember(db, { email });
    const due = new Date(clock.now());
    const deletion = { requested_at: due, due_at: due, next: due };
    await db.users.updateOne({ email }, { $set: { deletion } });
    const keys = { LEGACY_LOGIN_URL: old.url, LEGACY_LOGIN_TOKEN: TOKEN };
    await runDeletions({ db, clock, env: keys });
    await forgotten(email);
    await forgotten(email.toUpperCase());
    const kept = JSON.stringify(await db.retiredAddresses.find().toArray());
    expect(kept).not.toContain(email.split('@')[0]?.toLowerCase());
    expect(kept).not.toContain(createHash('sha256').update(email.toLowerCase()).digest('base64url'));
  });

  test('does not become a second account once its person has another address', async () => {
    const email = newAddress();
    answers(person(email));
    expect((await direct(email)).status).toBe(200);
    await services.db.users.updateOne({ email }, { $set: { email: newAddress() } });
    await forgotten(email);
  });

  test('can sign up anew', async () => {
    const email = newAddress();
    answers(person(email));
    await direct(email);
    await services.db.users.deleteOne({ email });
    const form = { email, password: PASSWORD, name: 'Ada' };
    expect((await postForm(`${services.user}/v2/signup`, form)).status).toBe(200);
  });
});

describe('is not asked', () => {
  afterEach(() => expect(old.received).toHaveLength(0));

  test.each([
    ['a wrong password of an account', {}, 401],
    ['a disabled account', { account_status: 'disabled' }, 401],
    ['a pending signup', { verified: false, account_status: 'paused' }, 401],
    ['an account whose deletion has begun', { deletion: { begun_at: new Date() } }, 401],
  ])('about %s', async (_what, fields, code) => {
    const { email } = await newMember(services.db, fields);
    expect((await direct(email, 'wrong')).status).toBe(code);
  });

  test.each(['nobody', 'nobody@localhost', '"><script>@example.com', `${'a'.repeat(300)}@example.com`])(
    'about what cannot be the address of an account: %s',
    async (email) => expect(await direct(email)).toEqual(unknown),
  );

  test('about an address whose domain requires single sign-on', async () => {
    const organization_id = 'org-sso';
    const owner = await newMember(services.db, { subscription_plan: 'Enterprise' });
    const owners = [{ user_id: owner.user_id }];
    await services.db.organizations.insertOne({ organization_id, owners } as never);
    await services.db.ssoConnections.insertOne({
      organization_id,
      connection_id: 'c',
      enabled: true,
    } as never);
    const domain = 'sso-only.example';
    await services.db.ssoDomains.insertOne({
      domain_id: 'd',
      organization_id,
      domain,
      verified_domain: domain,
      sso_required: true,
    } as never);
    expect(await direct(`ada@${domain}`)).toEqual(unknown);
  });
});

describe('an old system that does not answer as agreed', () => {
  const hostile: [string, (email: string) => (response: ServerResponse) => void][] = [
    ['fails', () => status(500)],
    ['limits', () => status(429)],
    ['answers 201', () => status(201)],
    ['redirects', () => status(302, { location: '/elsewhere' })],
    ['sends no JSON', () => (response) => void response.end('<html>')],
    ['sends null', () => json(null)],
    ['does not say whether the address is verified', (email) => json({ email, id: 1 })],
    ['says "false" as a string', (email) => person(email, { email_verified: 'false' })],
    ['says "true" as a string', (email) => person(email, { email_verified: 'true' })],
    ['does not name the address', () => json({ email_verified: true })],
    ['does not name the address, which is not verified', () => json({ email_verified: false })],
    ['names no address', (email) => person(email, { email: null })],
    ['answers for another address', () => person('other@example.com')],
    ['answers for a look-alike', (email) => person(email.replace('Moving', 'Mov\u0131ng'))],
    ['answers for several addresses', (email) => person(email, { email: [email] })],
    ['names a user_id that is none', (email) => person(email, { user_id: 'root' })],
    ['sends 100 kB', (email) => person(email, { extra: 'x'.repeat(100_000) })],
    ['sends 2 MB', (email) => person(email, { extra: 'x'.repeat(2_000_000) })],
    ['never answers', () => () => {}],
    ['never ends its answer', () => (response) => void response.writeHead(200).write('{"email_verified":')],
    ['closes the connection', () => (response) => void response.destroy()],
  ];

  test.each(hostile)('that %s: 503, no account, no retry', async (_what, answer) => {
    const email = newAddress();
    answers(answer(email));
    expect(await direct(email)).toEqual(unavailable);
    expect(await stored(email)).toBeNull();
    expect(old.received).toHaveLength(1);
  });

  test('is counted and logged', async () => {
    answers(status(500));
    await direct(newAddress());
    const metrics = await (await fetch(`${services.user}/metrics`)).text();
    expect(metrics).toMatch(/legacy_logins_total\{result="failed"[^}]*\} [1-9]/);
    expect(metrics).toMatch(/legacy_logins_total\{result="moved"[^}]*\} [1-9]/);
    expect(services.logged.join('')).toContain('LEGACY_LOGIN_URL has not answered as agreed');
  });

  test('does not disturb accounts that are here', async () => {
    const { email } = await newMember(services.db, { password: PASSWORD });
    answers(status(500));
    expect((await direct(email)).status).toBe(200);
  });
});

test('hostile texts of the old system become a plain name', async () => {
  const email = newAddress();
  answers(person(email, { name: 'Ada\u001b[2J\r\nX\u202e', id: null, phone: 'javascript:' }));
  expect((await direct(email)).status).toBe(200);
  expect(await stored(email)).toMatchObject({ name: 'Ada [2J X' });
  expect(await stored(email)).not.toHaveProperty('phone');
});

describe('the question of the login service', () => {
  const ask = (token: string, email = newAddress()) =>
    postJson(`${services.user}/internal/legacy-login`, { email, password: PASSWORD, token });
  const tokens = createTokens({ JWT_SECRET });

  test('needs the token of a service, for this address, in time', async () => {
    const email = newAddress();
    const now = services.clock.now();
    const refused = [
      '',
      'x.y.z',
      tokens.session({ email, user_id: null }, now),
      tokens.otpSent(email, now),
      tokens.legacyLogin('other@example.com', now),
      tokens.legacyLogin(email, now - 61_000),
      createTokens({ JWT_SECRET: 'another secret of thirty-two bytes or more' }).legacyLogin(email, now),
    ];
    for (const token of refused) expect((await ask(token, email)).status).toBe(401);
    expect(old.received).toHaveLength(0);
    expect(tokens.verify(tokens.legacyLogin(email, now), now)).toMatchObject({ ok: false });
  });

  test('asks nobody about an address that has an account by now', async () => {
    const { email } = await newMember(services.db);
    const { status: code, body } = await ask(tokens.legacyLogin(email, services.clock.now()), email);
    expect({ code, body }).toStrictEqual({ code: 200, body: { verdict: 'moved' } });
    expect(old.received).toHaveLength(0);
  });
});

test('a private address outside the allowed networks is not dialed', async () => {
  const guarded = await startServices({
    env: { LEGACY_LOGIN_URL: `${old.url}/login`, LEGACY_LOGIN_TOKEN: TOKEN },
  });
  try {
    const { status: code } = await postForm(`${guarded.login}/v2/login`, {
      email: newAddress(),
      password: PASSWORD,
    });
    expect({ code, asked: old.received.length }).toStrictEqual({ code: 503, asked: 0 });
  } finally {
    await guarded.stop();
  }
});

test.each([
  [
    { LEGACY_LOGIN_URL: 'https://old.example.com' },
    'LEGACY_LOGIN_URL and LEGACY_LOGIN_TOKEN need each other',
  ],
  [{ LEGACY_LOGIN_TOKEN: TOKEN }, 'LEGACY_LOGIN_URL and LEGACY_LOGIN_TOKEN need each other'],
  [{ LEGACY_LOGIN_URL: 'ldap://old', LEGACY_LOGIN_TOKEN: TOKEN }, 'LEGACY_LOGIN_URL must be a URL'],
])('settings that are refused: %j', (env, message) => {
  expect(() => testConfig('user', env)).toThrow(message);
});
