import { createTokens } from '@gatehouse/shared/identity/tokens';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../../fixtures/audit.ts';
import { enrolled } from '../../../fixtures/enrolled.ts';
import { errorEnvelope, outcome } from '../../../fixtures/envelope.ts';
import { eventually } from '../../../fixtures/eventually.ts';
import { decodeToken, postForm, postJson, send, sendJson } from '../../../fixtures/http.ts';
import { bearerOf, newMember } from '../../../fixtures/members.ts';
import { rounds } from '../../../fixtures/property.ts';
import { JWT_SECRET, mailedCode } from '../../../fixtures/services.ts';
import { startTwoInstances, type TwoInstances } from '../../instances.ts';
import { fromNetwork, otherThan } from '../codes.ts';
import { codeMails, codePost, directVerify, newCode, verifyPost } from './login-codes.ts';

let services: TwoInstances;
beforeAll(async () => {
  services = await startTwoInstances({ LOGIN_BY_CODE: 'on', TRUST_PROXY: 'loopback' });
});
afterAll(() => services.stop());

const tokens = createTokens({ JWT_SECRET });
const record = (email: string) => services.db.users.findOne({ email });
const verify = (fields: object, headers = {}) => verifyPost(services, fields, headers);
const me = async (token: string) =>
  (await send(`${services.user}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })).status;
const invalid = { status: 401, body: errorEnvelope('INVALID_CREDENTIALS', 'Invalid code') };
/** An account and its code. */
async function withCode(fields: object = {}) {
  const account = await newMember(services.db, fields);
  return { ...account, user_id: account.user_id as string, ...(await newCode(services, account.email)) };
}
const repeat = <T>(count: number, make: (turn: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, turn) => make(turn)));

describe('a right code', () => {
  test('answers what a catalogue login answers, and begins a session', async () => {
    const { email, user_id, code } = await withCode();
    services.clock.advance(599);
    const response = await verify({ email: email.toUpperCase(), code });
    expect(outcome(response)).toStrictEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, user_id },
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { header, payload } = decodeToken(response.body.access_token);
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT', sid: expect.any(String) });
    expect(payload).toEqual({ email, user_id, exp: services.clock.seconds() + 3600 });
    expect(await me(response.body.access_token)).toBe(200);
  });

  test('answers what a Direct login answers', async () => {
    const { email, user_id, code } = await withCode();
    expect(outcome(await directVerify(services, { email, code, token: '' }))).toStrictEqual({
      status: 200,
      body: { message: 'Login successful', token: expect.any(String), user_id },
    });
  });

  test('may be typed with spaces', async () => {
    const { email, code } = await withCode();
    expect((await verify({ email, code: ` ${code.slice(0, 3)} ${code.slice(3)} ` })).status).toBe(200);
  });

  test('is audited as a login with its way, and the event tells it', async () => {
    const { email, user_id, code } = await withCode();
    const events = await eventsOf(services, () => verify({ email, code }));
    const session = {
      id: expect.any(String),
      device: 'node',
      expires_at: new Date(services.clock.now() + 3_600_000),
    };
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action: 'login',
        user_id,
        email: email.toLowerCase(),
        after: { way: 'code' },
        session,
      }),
    ]);
    const published = await eventually(async () => {
      const event = await services.db.events.findOne({ event: 'session.created', readers: user_id });
      expect(event).not.toBeNull();
      return event;
    });
    expect(JSON.parse(published?.payload ?? '')).toMatchObject({ data: { method: 'code' } });
  });

  test('is fresh for ten minutes', async () => {
    const { email, code } = await withCode();
    const { access_token } = (await verify({ email, code })).body;
    const change = () =>
      sendJson(
        'POST',
        `${services.user}/api/v1/users/me/password`,
        { new_password: 'another secret' },
        { authorization: `Bearer ${access_token}` },
      );
    services.clock.advance(600);
    expect((await change()).status).toBe(200);
    services.clock.advance(1);
    expect((await change()).status).toBe(403);
  });

  test('restores an account whose deletion is pending', async () => {
    const { email, code, user_id } = await withCode();
    const due = new Date(services.clock.now() + 86_400_000);
    const deletion = { requested_at: new Date(services.clock.now()), due_at: due, next: due };
    await services.db.users.updateOne({ user_id }, { $set: { deletion } });
    expect((await verify({ email, code })).status).toBe(200);
    expect(await record(email)).not.toHaveProperty('deletion');
    expect((await record(email))?.notices).toMatchObject([{ kind: 'deletion_cancelled' }]);
  });

  test('tells a sign-in from a new device', async () => {
    const { email, code } = await withCode();
    expect((await verify({ email, code })).status).toBe(200);
    expect((await record(email))?.sign_ins).toHaveLength(1);
    const { code: next } = await newCode(services, email);
    expect((await verify({ email, code: next }, { 'user-agent': 'curl/8.0' })).status).toBe(200);
    await eventually(() =>
      services.mailbox.mails.some(
        ({ recipients, content }) =>
          recipients.includes(email) && content.subject === 'A new sign-in to your account',
      ),
    );
  });

  test('gives features to an account without', async () => {
    const { email, code, user_id } = await withCode({ features_assigned: undefined });
    expect((await verify({ email, code })).status).toBe(200);
    expect(await services.db.features.countDocuments({ user_id })).toBe(1);
  });
});

describe('every refusal alone', () => {
  test.each([
    ['an unknown e-mail', async () => ({ email: 'nobody@example.com', code: '123456' })],
    [
      'a wrong code',
      async () => {
        const { email, code } = await withCode();
        return { email, code: otherThan(code) };
      },
    ],
    [
      'a used code',
      async () => {
        const { email, code } = await withCode();
        expect((await verify({ email, code })).status).toBe(200);
        return { email, code };
      },
    ],
    [
      'an expired code',
      async () => {
        const { email, code } = await withCode();
        services.clock.advance(600);
        return { email, code };
      },
    ],
    [
      'a replaced code',
      async () => {
        const { email, code } = await withCode();
        let next = await newCode(services, email);
        while (next.code === code) next = await newCode(services, email);
        return { email, code };
      },
    ],
    [
      'the code of another account',
      async () => {
        const [{ email }, other] = [await withCode(), await withCode()];
        return { email, code: other.code, token: other.token };
      },
    ],
    [
      'a token that is not ours',
      async () => {
        const { email, code } = await withCode();
        return { email, code, token: 'forged' };
      },
    ],
    [
      'the token of another e-mail',
      async () => {
        const [{ email, code }, other] = [await withCode(), await withCode()];
        return { email, code, token: other.token };
      },
    ],
    [
      'the token of a signup',
      async () => {
        const { email, code } = await withCode();
        return { email, code, token: tokens.otpSent(email, services.clock.now(), 'attempt') };
      },
    ],
    [
      'a session token in place of the token',
      async () => {
        const { email, user_id, code } = await withCode();
        return { email, code, token: tokens.session({ email, user_id }, services.clock.now()) };
      },
    ],
    [
      'an account that is disabled',
      async () => {
        const { email, code } = await withCode();
        await services.db.users.updateOne({ email }, { $set: { account_status: 'disabled' } });
        return { email, code };
      },
    ],
    [
      'an account that is deleted',
      async () => {
        const { email, code } = await withCode();
        await services.db.users.deleteOne({ email });
        return { email, code };
      },
    ],
  ])('%s', async (_, guess) => {
    const fields = (await guess()) as Record<string, string>;
    expect(outcome(await verify(fields))).toStrictEqual(invalid);
    expect(outcome(await directVerify(services, fields))).toStrictEqual({
      status: 401,
      body: { detail: 'Invalid code' },
    });
  });

  test.each(['12345', '1234567', 'abcdef', '１２３４５６', '{"$gt":""}'])(
    'a guess of %s, which costs no guess',
    async (guess) => {
      const { email, code, token } = await withCode();
      for (let turn = 0; turn < 6; turn += 1)
        expect(outcome(await verify({ email, code: guess, token }))).toStrictEqual(invalid);
      expect((await verify({ email, code, token })).status).toBe(200);
    },
  );

  test.each([
    [{ email: 'a@example.com' }, 'MISSING_FIELD'],
    [{ code: '123456' }, 'MISSING_FIELD'],
    [{ email: 'a@example.com', code: { $gt: '' } }, 'INVALID_FORMAT'],
    [{ email: 'a@example.com', code: 123456 }, 'INVALID_FORMAT'],
    [{ email: { $gt: '' }, code: '123456' }, 'INVALID_FORMAT'],
    [{ email: 'a@example.com', code: '123456', token: ['x'] }, 'INVALID_FORMAT'],
    [{ email: 'a@example.com', code: '1'.repeat(101) }, 'INVALID_FORMAT'],
  ])('a malformed call: %j', async (body, code) => {
    expect(outcome(await verify(body))).toMatchObject({ status: 400, body: { error: { code } } });
  });

  test('an account that is no longer verified', async () => {
    const { email, code } = await withCode();
    await services.db.users.updateOne({ email }, { $set: { verified: false } });
    expect(outcome(await verify({ email, code }))).toStrictEqual({
      status: 403,
      body: errorEnvelope('ACCOUNT_NOT_VERIFIED', 'Account not verified'),
    });
  });

  test('audits what was wrong, and never the code', async () => {
    const { email, user_id, code } = await withCode();
    const events = await eventsOf(services, async () => {
      await verify({ email, code: otherThan(code) });
      await verify({ email: 'nobody@example.com', code });
      await eventually(
        async () =>
          (await services.db.auditEvents.countDocuments({ outcome: 'unknown account', action: 'login' })) > 0,
      );
      await services.db.users.updateOne({ email }, { $set: { account_status: 'disabled' } });
      await verify({ email, code });
      await eventually(
        async () => (await services.db.auditEvents.countDocuments({ user_id, action: 'login' })) === 2,
      );
    });
    expect(events.map(({ action, outcome: why, user_id: who, after }) => [action, why, who, after])).toEqual(
      expect.arrayContaining([
        ['login', 'wrong code', user_id, { way: 'code' }],
        ['login', 'unknown account', null, { way: 'code' }],
        ['login', 'account disabled', user_id, { way: 'code' }],
      ]),
    );
    expect(events).toHaveLength(3);
    expect(JSON.stringify(events)).not.toContain(`"${code}"`);
  });
});

describe('a code has one purpose', () => {
  test('a login code neither verifies an address nor resets a password', async () => {
    const { email, code, token } = await withCode();
    for (const fields of [{}, { token }]) {
      const otp = { email, otp: code, ...fields };
      expect((await postForm(`${services.user}/v2/verify-otp`, otp)).status).toBe(400);
      const reset = { ...otp, new_password: 'eve' };
      expect((await postForm(`${services.user}/v2/reset-password`, reset)).status).toBe(400);
    }
    expect((await verify({ email, code })).status).toBe(200);
  });

  test('a code of forgot-password does not log in', async () => {
    const { email } = await newMember(services.db);
    const { body } = await postForm(`${services.user}/v2/forgot-password`, { email });
    const code = mailedCode(services.mailbox, email);
    for (const fields of [{}, { token: body.token }])
      expect(outcome(await verify({ email, code, ...fields }))).toStrictEqual(invalid);
    await codePost(services, { email: 'elsewhere@example.com' });
    expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
  });

  test('asking for one leaves a pending code of the other', async () => {
    const { email } = await newMember(services.db);
    await postForm(`${services.user}/v2/forgot-password`, { email });
    const otp = mailedCode(services.mailbox, email);
    await newCode(services, email);
    const reset = { email, otp, new_password: 'another secret' };
    expect((await postForm(`${services.user}/v2/reset-password`, reset)).status).toBe(200);
  });
});

describe('an event that ends the sessions ends the code', () => {
  const own = (user: { email: string; user_id: string }) => ({
    authorization: bearerOf(user, services.clock.now()),
  });
  const user = (path: string) => `${services.user}/api/v1/users/${path}`;

  test.each<[string, (account: Awaited<ReturnType<typeof withCode>>) => Promise<{ status: number }>]>([
    [
      'a reset of the password',
      async ({ email }) => {
        await postForm(`${services.user}/v2/forgot-password`, { email });
        const otp = mailedCode(services.mailbox, email);
        return postForm(`${services.user}/v2/reset-password`, { email, otp, new_password: 'new secret' });
      },
    ],
    [
      'a change of the password',
      (account) => postJson(user('me/password'), { new_password: 'new' }, own(account)),
    ],
    [
      'the end of all other sessions',
      (account) => send(user('me/sessions'), { method: 'DELETE', headers: own(account) }),
    ],
    ['a request for deletion', (account) => send(user('me'), { method: 'DELETE', headers: own(account) })],
  ])('%s', async (_, end) => {
    const account = await withCode();
    const { email, code } = account;
    services.clock.advance(1);
    expect((await end(account)).status).toBeLessThan(300);
    expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
    expect((await record(email))?.deletion === undefined).toBe(_ !== 'a request for deletion');
    services.clock.advance(1);
    const next = await newCode(services, email);
    expect((await verify({ email, code: next.code })).status).toBe(200);
  });

  test('a change of the address: the code of the former one opens nothing, nor does it at the new one', async () => {
    const account = await withCode();
    const { email, code } = account;
    services.clock.advance(1);
    const headers = own(account);
    const moved = `moved-${email}`;
    expect((await postJson(user('me/email'), { email: moved }, headers)).status).toBe(200);
    const confirmation = mailedCode(services.mailbox, moved);
    expect((await postJson(user('me/email/verify'), { code: confirmation }, headers)).status).toBe(200);
    expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
    expect(outcome(await verify({ email: moved, code }))).toStrictEqual(invalid);
    // Back at the former address within the life of the code.
    await services.db.users.updateOne({ email: moved }, { $set: { email } });
    expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
  });

  test('an end of all sessions during the login ends the new session', async () => {
    const { email, code } = await withCode();
    await services.db.users.updateOne(
      { email },
      { $set: { sessions_valid_from: new Date(services.clock.now() - 1) } },
    );
    // The clock stands still: the code, the login and the end of the sessions share a millisecond.
    const { access_token } = (await verify({ email, code })).body;
    await services.db.users.updateOne(
      { email },
      { $max: { sessions_valid_from: new Date(services.clock.now()) } },
    );
    expect(await me(access_token)).toBe(401);
  });
});

describe('an account with a second factor', () => {
  const refused = {
    status: 403,
    body: errorEnvelope('SECOND_FACTOR_REQUIRED', 'Second factor required', {
      details: { factor_token: expect.any(String), methods: ['totp', 'recovery_code'] },
    }),
  };

  test('goes on at the second step, and nothing exists before', async () => {
    const account = await enrolled(services.db, services.clock);
    const { email, user_id } = account;
    const { code } = await newCode(services, email);
    const before = await record(email);
    const events = await eventsOf(services, async () => {
      const response = await verify({ email, code });
      expect(outcome(response)).toStrictEqual(refused);
      const { factor_token } = response.body.error.details;
      expect(await me(factor_token)).toBe(401);
      expect(await record(email)).toStrictEqual(before);
      const login = { factor_token, code: account.code() };
      const answer = await postJson(`${services.login}/api/v1/auth/login/factor`, login);
      expect(outcome(answer)).toMatchObject({ status: 200, body: { user_id } });
    });
    expect(events.map(({ outcome: why, session, after }) => [why, session !== undefined, after])).toEqual([
      ['second factor required', false, { way: 'code' }],
      ['success', true, { way: 'code' }],
    ]);
  });

  test('uses the code up with the first step', async () => {
    const { email } = await enrolled(services.db, services.clock);
    const { code } = await newCode(services, email);
    expect((await verify({ email, code })).status).toBe(403);
    expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
  });

  test('answers the Direct refusal at the Direct contract', async () => {
    const account = await enrolled(services.db, services.clock);
    const { email } = account;
    const { code } = await newCode(services, email);
    const { status, body } = await directVerify(services, { email, code });
    expect({ status, body }).toEqual({
      status: 403,
      body: {
        detail: 'Second factor required',
        factor_token: expect.any(String),
        methods: ['totp', 'recovery_code'],
      },
    });
    const login = { factor_token: body.factor_token, code: account.code() };
    expect((await postForm(`${services.login}/v2/login/factor`, login)).status).toBe(200);
  });

  test('restores nothing before the second step', async () => {
    const account = await enrolled(services.db, services.clock);
    const { email } = account;
    const due = new Date(services.clock.now() + 86_400_000);
    const deletion = { requested_at: new Date(0), due_at: due, next: due };
    await services.db.users.updateOne({ email }, { $set: { deletion } });
    const { code } = await newCode(services, email);
    expect((await verify({ email, code })).status).toBe(403);
    expect(await record(email)).toMatchObject({ deletion: { due_at: due } });
  });
});

describe('guesses', () => {
  test('five wrong ones kill a code for those without its token, not for its holder', async () => {
    const { email, code, token } = await withCode();
    for (let turn = 1; turn <= 5; turn += 1)
      expect(outcome(await verify({ email, code: otherThan(code, turn) }, fromNetwork(turn)))).toStrictEqual(
        invalid,
      );
    expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
    expect((await verify({ email, code, token })).status).toBe(200);
  });

  test('five wrong ones with the token kill it for the holder, not for another device', async () => {
    const { email, code, token } = await withCode();
    for (let turn = 1; turn <= 5; turn += 1) await verify({ email, code: otherThan(code, turn), token });
    expect(outcome(await verify({ email, code, token }))).toStrictEqual(invalid);
    expect((await verify({ email, code })).status).toBe(200);
  });

  test('wrong ones with the token of an earlier code count for that code, and for the newest one as others', async () => {
    const { email, token } = await withCode();
    const { code, token: newest } = await newCode(services, email);
    for (let turn = 1; turn <= 5; turn += 1) await verify({ email, code: otherThan(code, turn), token });
    expect(outcome(await verify({ email, code, token }))).toStrictEqual(invalid);
    expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
    expect((await verify({ email, code, token: newest })).status).toBe(200);
  });

  test('the link of a code works on another device, without its token', async () => {
    const { email, code } = await withCode();
    expect((await verify({ email, code }, fromNetwork(9))).status).toBe(200);
  });

  test('a stranger who asks again and guesses keeps nobody out whose browser has asked', async () => {
    const { email, code, token } = await withCode();
    const stranger = (await codePost(services, { email }, fromNetwork(66))).body.token;
    for (let turn = 1; turn <= 6; turn += 1) {
      await verify({ email, code: otherThan(code, turn) }, fromNetwork(66));
      await verify({ email, code: otherThan(code, turn), token: stranger }, fromNetwork(66));
    }
    expect((await verify({ email, code, token })).status).toBe(200);
  });

  test('after another request, the first code needs its token, and the newest mail works with any', async () => {
    const { email, code, token } = await withCode();
    const { code: newest } = await newCode(services, email, fromNetwork(66));
    if (code !== newest) expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
    expect((await verify({ email, code: newest, token })).status).toBe(200);
    expect((await verify({ email, code, token })).status).toBe(200);
    expect(outcome(await verify({ email, code, token }))).toStrictEqual(invalid);
    expect(outcome(await verify({ email, code: newest, token }))).toStrictEqual(invalid);
  });

  test('many at once get five comparisons at two instances', async () => {
    const { email, code } = await withCode();
    await repeat(rounds(1_000), (turn) =>
      verifyPost({ user: String(services.instances[turn % 2]) }, { email, code: otherThan(code, turn + 1) }),
    );
    expect(await services.db.loginCodes.countDocuments({ other_guesses: 5 })).toBeGreaterThan(0);
    expect(await services.db.loginCodes.countDocuments({ other_guesses: { $gt: 5 } })).toBe(0);
    expect(outcome(await verify({ email, code }))).toStrictEqual(invalid);
  });
});

test('a code that is used many times at once, at two instances, begins one session', async () => {
  for (let round = 0; round < rounds(5); round += 1) {
    const { email, user_id, code, token } = await withCode();
    const answers = await repeat(20, (turn) =>
      verifyPost(
        { user: String(services.instances[turn % 2]) },
        { email, code, ...(turn % 3 === 0 && { token }) },
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(401)]);
    await eventually(
      async () => (await services.db.auditEvents.countDocuments({ user_id, action: 'login' })) === 20,
    );
    expect(
      await services.db.auditEvents.countDocuments({ user_id, action: 'login', outcome: 'success' }),
    ).toBe(1);
  }
});

test('one of several codes requested concurrently works without a token', async () => {
  const { email } = await newMember(services.db);
  const answers = await repeat(4, (turn) =>
    codePost({ user: String(services.instances[turn % 2]) }, { email }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200));
  await eventually(async () => codeMails(services, email).length === 4);
  const statuses: number[] = [];
  for (const { content } of codeMails(services, email)) {
    const code = /\b\d{6}\b/.exec(content.text ?? '')?.[0];
    statuses.push((await verify({ email, code })).status);
  }
  expect(statuses.toSorted()).toEqual([200, 401, 401, 401]);
});

test('a code is good while the signing secret is rotated', async () => {
  const { email, code } = await withCode();
  const rotated = await startTwoInstances({
    LOGIN_BY_CODE: 'on',
    JWT_SECRET: 'the next secret, which is as long as the one before',
    JWT_SECRET_PREVIOUS: JWT_SECRET,
  });
  try {
    await rotated.db.users.insertOne((await record(email)) as never);
    for (const stored of await services.db.loginCodes.find().toArray())
      await rotated.db.loginCodes.insertOne(stored);
    rotated.clock.advance((services.clock.now() - rotated.clock.now()) / 1000);
    expect((await verifyPost(rotated, { email, code })).status).toBe(200);
  } finally {
    await rotated.stop();
  }
});
