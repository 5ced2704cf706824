import type { User } from '@gatehouse/shared/identity/user-record';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { postForm, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

const newUser = (fields?: object) => newMember(services.db, { name: 'Ada Lovelace', ...fields });
const bearer = (user: Partial<User>) => ({
  authorization: bearerOf({ email: '', ...user }, services.clock.now()),
});
const read = (user: Partial<User>) => send(`${services.user}/api/v1/users/me`, { headers: bearer(user) });
const patch = (user: Partial<User>, body: unknown, headers: Record<string, string> = {}) =>
  sendJson('PATCH', `${services.user}/api/v1/users/me`, body, { ...bearer(user), ...headers });
const change = (user: Partial<User>, fields: object) => patch(user, fields);
const record = ({ email }: Partial<User>) => services.db.users.findOne({ email: email ?? '' });
const failure = failuresAt(() => services.clock.now());
/** The profile of a new user. */
const profile = (user: Partial<User>, fields: object = {}) => ({
  email: user.email,
  name: 'Ada Lovelace',
  verified: true,
  user_id: user.user_id,
  account_status: 'active',
  payment_status: 'pending',
  'user_created_at(DATE)': '2026-01-15',
  subscription_id: 'free',
  subscription_date: '2026-01-15',
  subscription_plan: null,
  subscription_expiry: null,
  created_at: null,
  last_login: null,
  phone: null,
  company: null,
  role: null,
  language: null,
  picture: null,
  ...fields,
});

describe('GET /api/v1/users/me', () => {
  test('returns every public field and no internal one', async () => {
    const shown = {
      subscription_plan: 'Professional',
      subscription_expiry: '2027-01-15T00:00:00.000Z',
      created_at: '2026-01-15T09:30:00.000Z',
      last_login: '2026-02-01T10:00:00.000Z',
      phone: '+44 20 7946 0000',
      company: 'Analytical Engines',
      role: 'engineer',
      language: 'de' as const,
    };
    const user = await newUser({
      ...shown,
      otp: '123456',
      otp_expiration: 1_800_000_000,
      otp_wrong_guesses: 3,
      otp_wrong_guess_times: [1, 2, 3],
      otp_mails: [{ at: 1, network: '203.0.113.7' }],
      otp_attempt: 'attempt',
      otp_holder_guesses: 1,
      signup_attempts: [{ id: 'attempt', at: 1, password: 'other', name: 'Other' }],
      unverified_since: new Date(),
      otp_verdict: 'wrong',
      sessions_valid_from: new Date(0),
      ended_sessions: [{ id: 'x', until: new Date() }],
      secret_of_another_system: 'hidden',
    });
    const answer = await read(user);
    expect(outcome(answer)).toStrictEqual({ status: 200, body: profile(user, shown) });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('returns null for absent fields', async () => {
    const user = await newUser();
    expect(outcome(await read(user))).toStrictEqual({ status: 200, body: profile(user) });
  });

  test('returns what signup and verification wrote', async () => {
    const email = 'Journey@example.com';
    await postForm(`${services.user}/v2/signup`, { email, password: 'secret', name: ' Ada 🜁 <b> ' });
    const otp = mailedCode(services.mailbox, email);
    const { body } = await postForm(`${services.user}/v2/verify-otp`, { email, otp });
    const day = new Date(services.clock.now()).toISOString().slice(0, 10);
    expect(outcome(await read({ email, user_id: body.user_id }))).toStrictEqual({
      status: 200,
      body: profile(
        { email, user_id: body.user_id },
        {
          name: ((await record({ email })) as User).name,
          'user_created_at(DATE)': day,
          subscription_date: day,
          subscription_plan: 'Free',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          language: 'en',
        },
      ),
    });
  });

  test('converts an older record with missing fields and other types', async () => {
    const email = 'old@example.com';
    await services.db.users.insertOne({
      email,
      password: 'secret',
      verified: 'yes',
      name: 42,
      subscription_plan: null,
      last_login: new Date(0),
      phone: 12_345,
      language: 'tlh',
    } as unknown as User);
    expect(outcome(await read({ email }))).toStrictEqual({
      status: 200,
      body: {
        ...profile({ email }, { user_id: null, account_status: '', payment_status: '' }),
        name: '42',
        'user_created_at(DATE)': '',
        subscription_id: '',
        subscription_date: '',
        last_login: expect.any(String),
        phone: '12345',
      },
    });
  });

  test('finds a user without a user_id by e-mail', async () => {
    const user = await newUser({ user_id: undefined });
    expect(outcome(await read(user))).toStrictEqual({ status: 200, body: profile(user, { user_id: null }) });
  });

  test.each(['POST', 'PUT'])('returns 404 for %s', async (method) => {
    const answer = await send(`${services.user}/api/v1/users/me`, {
      method,
      headers: bearer(await newUser()),
    });
    expect(outcome(answer)).toStrictEqual(failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
  });
});

describe('PATCH /api/v1/users/me', () => {
  test.each<[string, object, object]>([
    ['the name', { name: 'Ada King' }, { name: 'Ada King' }],
    ['the name, trimmed', { name: ' \u00a0 Ada King\t' }, { name: 'Ada King' }],
    ['the name, in any script', { name: '艾达 🜁 Ada \u200f' }, { name: '艾达 🜁 Ada \u200f' }],
    ['a name of 200 characters', { name: '🜁'.repeat(200) }, { name: '🜁'.repeat(200) }],
    ['a name that looks like an expression', { name: '$email' }, { name: '$email' }],
    ['a name that looks like markup', { name: '<script>' }, { name: '<script>' }],
    ['the phone number', { phone: '+44 (0)20 7946-0000' }, { phone: '+44 (0)20 7946-0000' }],
    ['the shortest number', { phone: '112' }, { phone: '112' }],
    ['the longest number', { phone: `+${'1'.repeat(32)}` }, { phone: `+${'1'.repeat(32)}` }],
    ['the company', { company: 'Analytical Engines' }, { company: 'Analytical Engines' }],
    ['the language', { language: 'de' }, { language: 'de' }],
    ['three', { name: 'A', phone: '123', company: 'C' }, { name: 'A', phone: '123', company: 'C' }],
  ])('changes %s, and nothing else', async (_, fields, expected) => {
    const user = await newUser();
    const before = await record(user);
    expect(outcome(await change(user, fields))).toStrictEqual({ status: 200, body: profile(user, expected) });
    expect(await record(user)).toEqual({ ...before, ...expected });
    expect(outcome(await read(user))).toStrictEqual({ status: 200, body: profile(user, expected) });
  });

  test('removes the phone number and the company by null', async () => {
    const user = await newUser({ phone: '123', company: 'C' });
    const { phone: _, ...rest } = (await record(user)) as User;
    expect(outcome(await change(user, { phone: null }))).toStrictEqual({
      status: 200,
      body: profile(user, { company: 'C' }),
    });
    expect(await record(user)).toEqual(rest);
    expect(outcome(await change(user, { company: null, name: 'B', phone: null }))).toStrictEqual({
      status: 200,
      body: profile(user, { name: 'B' }),
    });
    expect(await record(user)).not.toHaveProperty('company');
  });

  test('sets one field and removes another in one call', async () => {
    const user = await newUser({ phone: '123', company: 'C' });
    expect(outcome(await change(user, { phone: '456', company: null }))).toStrictEqual({
      status: 200,
      body: profile(user, { phone: '456' }),
    });
  });

  const MALFORMED = 'The request is malformed';
  const MISSING = 'A required field is missing';
  const missing = (details: string) => [400, 'MISSING_FIELD', MISSING, details] as const;
  const invalid = (details: string) => [400, 'INVALID_FORMAT', MALFORMED, details] as const;
  const NONE = invalid('body must contain name, phone, company or language');
  const NAME = invalid('name must be a single line of 1 to 200 characters');
  const PHONE = invalid('phone must be a phone number');
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);

  test.each<[string, string, readonly [number, string, string, string]]>([
    ['nothing', '', missing('body is required')],
    ['null', 'null', missing('body is required')],
    ['an array', '[]', invalid('body must be a JSON object')],
    ['a string', '"name"', invalid('body must be a JSON object')],
    ['an empty object', '{}', NONE],
    ['only unknown fields', '{"verified":true,"role":"Owner"}', NONE],
    ['an operator', '{"$set":{"verified":true}}', NONE],
    ['the name null', '{"name":null}', invalid('name must be a string')],
    ['the name a number', '{"name":1}', invalid('name must be a string')],
    ['the name an object', '{"name":{"$gt":""}}', invalid('name must be a string')],
    ['the name an array', '{"name":["a"]}', invalid('name must be a string')],
    ['the name empty', '{"name":""}', NAME],
    ['the name only spaces', '{"name":"  "}', NAME],
    ['the name too long', JSON.stringify({ name: 'x'.repeat(201) }), NAME],
    ['the name on two lines', '{"name":"a\\nb"}', NAME],
    ['the name with NUL', '{"name":"a\\u0000b"}', NAME],
    ['the name with a lone surrogate', '{"name":"a\\ud800b"}', NAME],
    ['the name with a line separator', '{"name":"a\\u2028b"}', NAME],
    ['the language null', '{"language":null}', invalid('language must be one of en, de, es')],
    ['the language unknown', '{"language":"fr"}', invalid('language must be one of en, de, es')],
    ['the company a number', '{"company":1}', invalid('company must be a string')],
    ['the company empty', '{"company":""}', invalid('company must be a single line of 1 to 200 characters')],
    ['the phone a number', '{"phone":123}', invalid('phone must be a string or null')],
    ['the phone empty', '{"phone":""}', PHONE],
    ['the phone too short', '{"phone":"12"}', PHONE],
    ['the phone too long', JSON.stringify({ phone: '1'.repeat(33) }), PHONE],
    ['letters in the phone', '{"phone":"0800 CALL ME"}', PHONE],
    ['full-width digits in the phone', '{"phone":"１２３"}', PHONE],
    ['the phone with a line break', '{"phone":"123\\n"}', PHONE],
    ['one valid and one invalid field', '{"name":"B","phone":"x"}', PHONE],
    ['a deeply nested name', `{"name":${deep('[', ']')}}`, invalid('name must be a string')],
    ['a deeply nested unknown field', `{"x":${deep('{"a":', '}').replace('}', '1}')}}`, NONE],
    ['100,000 nested arrays', deep('[', ']'), invalid('body must be a JSON object')],
    ['truncated JSON', '{"name":"B"', invalid(MALFORMED)],
    ['__proto__', '{"__proto__":{"verified":true},"name":"B"}', invalid(MALFORMED)],
    ['a form', 'name=B', invalid(MALFORMED)],
  ])('returns 400 and changes nothing: %s', async (_, body, expected) => {
    const user = await newUser();
    const before = await record(user);
    const answer = await patch(user, body);
    expect(outcome(answer)).toStrictEqual(failure(answer, ...expected));
    expect(await record(user)).toEqual(before);
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', 'application/xml', 'x'])(
    'returns 400 for the content type %s',
    async (type) => {
      const answer = await patch(await newUser(), '{"name":"B"}', { 'content-type': type });
      expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', MALFORMED));
    },
  );

  test('returns 400 for more than 1 MiB', async () => {
    const answer = await change(await newUser(), { name: 'x'.repeat(1024 * 1024) });
    expect(outcome(answer)).toStrictEqual(failure(answer, 400, 'INVALID_FORMAT', MALFORMED));
  });

  test('ignores all other fields, whatever their values', async () => {
    const user = await newUser();
    const before = await record(user);
    const answer = await change(user, {
      name: 'B',
      email: 'eve@example.com',
      password: 'eve',
      verified: false,
      user_id: 'User-999999',
      account_status: 'disabled',
      payment_status: 'paid',
      subscription_plan: 'Enterprise',
      role: 'Owner',
      sessions_valid_from: null,
      'name.first': 'x',
      $set: { verified: false },
    });
    expect(outcome(answer)).toStrictEqual({ status: 200, body: profile(user, { name: 'B' }) });
    expect(await record(user)).toEqual({ ...before, name: 'B' });
  });

  test('returns 403 for a user without a user_id', async () => {
    const user = await newUser({ user_id: undefined });
    const before = await record(user);
    const answer = await change(user, { name: 'B' });
    expect(outcome(answer)).toStrictEqual(failure(answer, 403, 'FORBIDDEN', 'Forbidden'));
    expect(await record(user)).toEqual(before);
  });

  test('checks the bearer before the body', async () => {
    const user = await newUser();
    const answer = await patch(user, '[', { authorization: '' });
    expect(outcome(answer)).toStrictEqual(failure(answer, 401, 'INVALID_TOKEN', 'No authorization header'));
  });

  test('keeps parallel changes of different fields', async () => {
    const user = await newUser({ company: 'C' });
    const answers = await Promise.all([
      change(user, { name: 'B' }),
      change(user, { phone: '123' }),
      change(user, { company: null }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(outcome(await read(user))).toStrictEqual({
      status: 200,
      body: profile(user, { name: 'B', phone: '123' }),
    });
  });

  test('applies parallel changes one after the other, each as a whole', async () => {
    const user = await newUser();
    const names = Array.from({ length: 20 }, (_, turn) => `Name ${turn}`);
    const answers = await Promise.all(
      names.map((name, turn) => change(user, { name, company: `Company ${turn}` })),
    );
    for (const [turn, { status, body }] of answers.entries()) {
      expect({ status, body }).toEqual({
        status: 200,
        body: profile(user, { name: names[turn], company: `Company ${turn}` }),
      });
    }
    const { name, company } = (await read(user)).body;
    expect(company).toBe(name.replace('Name', 'Company'));
  });

  test('does not undo a parallel write to other fields', async () => {
    const user = await newUser();
    const updates = Array.from({ length: 10 }, (_, turn) =>
      services.db.users.updateOne({ email: user.email }, { $push: { otp_wrong_guess_times: turn } }),
    );
    await Promise.all([...updates, ...Array.from({ length: 10 }, () => change(user, { name: 'B' }))]);
    expect((await record(user))?.otp_wrong_guess_times).toHaveLength(10);
  });
});

test('a change returns 401 when the user is deleted after the bearer check', async () => {
  const { users } = services.db;
  const user = await newUser();
  const update = vi.spyOn(users, 'findOneAndUpdate').mockImplementationOnce((async (...given: never) => {
    update.mockRestore();
    await users.deleteOne({ user_id: String(user.user_id) });
    return users.findOneAndUpdate(...(given as Parameters<typeof users.findOneAndUpdate>));
  }) as never);
  const answer = await change(user, { name: 'B' });
  expect(outcome(answer)).toStrictEqual(failure(answer, 401, 'INVALID_TOKEN', 'Invalid token'));
});
