import { randomBytes } from 'node:crypto';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { type Bend, softwareAuthenticator } from '../fixtures/authenticator.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { errorEnvelope, failuresAt, outcome } from '../fixtures/envelope.ts';
import { decodeToken, postForm, postJson, send } from '../fixtures/http.ts';
import { bearerOf } from '../fixtures/members.ts';
import { logIn, logInDirect, loginOptions, register, withPasskey } from '../fixtures/passkeys.ts';
import { JWT_SECRET, listen, type Services, startServices, testConfig } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { LOG_LEVEL: 'info' } });
});
afterAll(() => services.stop());

const tokens = createTokens({ JWT_SECRET });
const failure = failuresAt(() => services.clock.now());
const REFUSED = {
  status: 401,
  body: errorEnvelope('INVALID_CREDENTIALS', 'The passkey was not accepted'),
};
const EXPIRED = {
  status: 400,
  body: errorEnvelope('INVALID_FORMAT', 'The request for a passkey has expired, please try again'),
};
const present = (body: object, url = services.login) => postJson(`${url}/api/v1/auth/login/passkey`, body);
const eventsOf = (email: string) =>
  services.db.auditEvents
    .find({ email: email.toLowerCase(), action: 'login' })
    .sort({ event_id: 1 })
    .toArray();
const outcomesOf = async (email: string) => (await eventsOf(email)).map(({ outcome }) => outcome);
const stored = (id: string) => services.db.passkeys.findOne({ _id: id });

describe('the options of a login', () => {
  test('are the same for everybody and store nothing', async () => {
    const { passkey_token, options } = await loginOptions(services);
    expect(options).toEqual({
      rpId: 'localhost',
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 120_000,
      userVerification: 'required',
    });
    expect(decodeToken(passkey_token)).toEqual({
      header: { alg: 'HS256', typ: 'passkey+jwt' },
      payload: {
        purpose: 'login',
        subject: '',
        challenge: options.challenge,
        exp: services.clock.seconds() + 120,
      },
    });
    expect((await loginOptions(services)).options.challenge).not.toBe(options.challenge);
    expect(await services.db.passkeyCeremonies.countDocuments({ _id: options.challenge })).toBe(0);
  });

  test('are not cached', async () => {
    const answer = await postJson(`${services.login}/api/v1/auth/login/passkey/options`, {});
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('refuse a factor_token that is none', async () => {
    const { passkey_token } = await loginOptions(services);
    for (const factor_token of ['x', passkey_token]) {
      const answer = await postJson(`${services.login}/api/v1/auth/login/passkey/options`, { factor_token });
      expect(outcome(answer)).toEqual(
        failure(answer, 401, 'INVALID_TOKEN', 'The login has expired, please log in again'),
      );
    }
  });
});

describe('a login with a passkey', () => {
  test.each([-8, -7, -257] as const)('verifies the signature of algorithm %i', async (algorithm) => {
    const { authenticator } = await withPasskey(services, {}, { algorithm });
    expect((await logIn(services, authenticator)).status).toBe(200);
    const signature = randomBytes(64);
    expect(outcome(await logIn(services, authenticator, { signature }))).toEqual(REFUSED);
  });

  test('is audited with its way, told to webhooks, and opens the account', async () => {
    const { authenticator, email, user_id } = await withPasskey(services);
    const { body } = await logIn(services, authenticator);
    const me = await send(`${services.user}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(me.body.user_id).toBe(user_id);
    expect(await eventsOf(email)).toMatchObject([
      { outcome: 'success', user_id, after: { way: 'passkey' }, session: { device: 'node' } },
    ]);
  });

  test('from a device that is new is told by mail, as one with a password', async () => {
    const { authenticator, email } = await withPasskey(services);
    await logIn(services, authenticator);
    await logIn(services, authenticator, {}, { 'user-agent': 'curl/8.0' });
    const { notices = [] } = (await services.db.users.findOne({ email })) ?? {};
    const mailed = services.mailbox.mails.filter(({ recipients }) => recipients.includes(email));
    const subjects = mailed.map(({ content }) => content.subject);
    expect([...notices.map(({ kind }) => kind), ...subjects].join()).toMatch(/new_sign_in|sign-in/i);
  });

  test('is whole for an account with a second factor, and fresh', async () => {
    const user = await enrolled(services.db, services.clock);
    const authenticator = softwareAuthenticator();
    services.clock.advance(1);
    const authorization = bearerOf(user, services.clock.now());
    expect((await register(services, { authorization }, authenticator)).status).toBe(201);
    services.clock.advance(601);
    const { status, body } = await logIn(services, authenticator);
    expect(status).toBe(200);
    const headers = { authorization: `Bearer ${body.access_token}` };
    const url = `${services.user}/api/v1/users/me/factors/totp`;
    expect((await send(url, { method: 'DELETE', headers })).status).toBe(200);
  });

  test('remembers its use to the hour', async () => {
    const { authenticator } = await withPasskey(services);
    const hour = () => new Date(Math.floor(services.clock.now() / 3_600_000) * 3_600_000);
    await logIn(services, authenticator);
    expect((await stored(authenticator.id))?.last_used_at).toEqual(hour());
    services.clock.advance(3_600);
    await logIn(services, authenticator);
    expect((await stored(authenticator.id))?.last_used_at).toEqual(hour());
  });

  test('accepts a counter that goes back, and logs it', async () => {
    const { authenticator, passkey_id } = await withPasskey(services, {}, { counter: 41, synced: false });
    expect((await logIn(services, authenticator)).status).toBe(200);
    services.clock.advance(3_600);
    services.logged.length = 0;
    expect((await logIn(services, authenticator, { counter: 7 })).status).toBe(200);
    expect(services.logged.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        msg: 'the counter of a passkey has not grown',
        passkey_id,
        before: 42,
        counter: 7,
      }),
    );
    expect((await stored(authenticator.id))?.counter).toBe(7);
  });

  test('logs a counter that was told before, also within the hour', async () => {
    const { authenticator, passkey_id } = await withPasskey(services, {}, { counter: 41, synced: false });
    for (const counter of [42, 43]) await logIn(services, authenticator, { counter });
    services.logged.length = 0;
    expect((await logIn(services, authenticator, { counter: 43 })).status).toBe(200);
    expect(services.logged.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ passkey_id, before: 43, counter: 43 }),
    );
  });
});

describe('a login with a passkey refuses', () => {
  const wrongs: [string, Bend][] = [
    ['another origin', { origin: 'http://localhost:8001' }],
    ['an origin that only begins alike', { origin: 'http://localhost:8000.evil.example' }],
    ['another RP ID', { rpId: 'evil.example' }],
    ['another challenge', { challenge: randomBytes(32).toString('base64url') }],
    ['the type of a registration', { type: 'webauthn.create' }],
    ['a person who was not there', { flip: ['up'] }],
    ['a person who was not verified', { flip: ['uv'] }],
    ['a backup of what cannot be backed up', { flip: ['be'] }],
    ['a backup eligibility that has changed', { flip: ['be', 'bs'] }],
    ['a promise of a key that does not follow', { flip: ['at'] }],
    ['a promise of extensions that do not follow', { flip: ['ed'] }],
    ['a page inside one of another site', { clientData: { crossOrigin: true } }],
    ['a page inside a named one', { clientData: { topOrigin: 'https://evil.example' } }],
    ['a user handle of nobody', { userHandle: randomBytes(32).toString('base64url') }],
    ['no user handle', { userHandle: undefined }],
    ['no signature worth the name', { signature: Buffer.from([0]) }],
    ['authenticator data that is garbage', { raw: randomBytes(40) }],
    ['authenticator data that is short', { raw: Buffer.alloc(36) }],
    ['an id that nobody has', { id: randomBytes(16).toString('base64url') }],
  ];

  test.each(wrongs)('%s', async (_, bend) => {
    const { authenticator, email } = await withPasskey(services);
    const refused = await logIn(services, authenticator, bend);
    expect(outcome(refused)).toEqual(REFUSED);
    expect(await outcomesOf(email)).toEqual(bend.id ? [] : ['passkey refused']);
    // The honest one goes on working.
    expect((await logIn(services, authenticator)).status).toBe(200);
  });

  test('the user handle of another account', async () => {
    const [ada, eve] = [await withPasskey(services), await withPasskey(services)];
    const handle = (await services.db.users.findOne({ _id: ada._id }))?.passkey_handle;
    expect(outcome(await logIn(services, eve.authenticator, { userHandle: handle as string }))).toEqual(
      REFUSED,
    );
  });

  test('a signature of another passkey for the id of the account', async () => {
    const [ada, eve] = [await withPasskey(services), await withPasskey(services)];
    const handle = (await services.db.users.findOne({ _id: ada._id }))?.passkey_handle as string;
    const bend = { id: ada.authenticator.id, userHandle: handle };
    expect(outcome(await logIn(services, eve.authenticator, bend))).toEqual(REFUSED);
  });

  test('a passkey that the account does not name', async () => {
    const { authenticator, _id } = await withPasskey(services);
    await services.db.users.updateOne({ _id }, { $set: { passkeys: [] } });
    expect(outcome(await logIn(services, authenticator))).toEqual(REFUSED);
  });

  test('a passkey that another account names', async () => {
    const [ada, eve] = [await withPasskey(services), await withPasskey(services)];
    await services.db.users.updateOne({ _id: ada._id }, { $push: { passkeys: eve.authenticator.id } });
    await services.db.users.updateOne({ _id: eve._id }, { $set: { passkeys: [] } });
    expect(outcome(await logIn(services, eve.authenticator))).toEqual(REFUSED);
  });

  test('a ceremony that was used, that has expired, or that is of another purpose', async () => {
    const { authenticator, authorization } = await withPasskey(services);
    const { passkey_token, options } = await loginOptions(services);
    const body = { passkey_token, credential: authenticator.get(options) };
    expect((await present(body)).status).toBe(200);
    expect(outcome(await present(body))).toEqual(EXPIRED);
    expect(outcome(await present({ ...body, credential: authenticator.get(options) }))).toEqual(EXPIRED);

    const late = await loginOptions(services);
    services.clock.advance(119);
    const inTime = { passkey_token: late.passkey_token, credential: authenticator.get(late.options) };
    expect((await present(inTime)).status).toBe(200);
    const later = await loginOptions(services);
    services.clock.advance(120);
    const tooLate = { passkey_token: later.passkey_token, credential: authenticator.get(later.options) };
    expect(outcome(await present(tooLate))).toEqual(EXPIRED);

    const confirmation = await postJson(
      `${services.login}/api/v1/auth/confirm/passkey/options`,
      {},
      { authorization },
    );
    const credential = authenticator.get(confirmation.body.options);
    expect(outcome(await present({ passkey_token: confirmation.body.passkey_token, credential }))).toEqual(
      EXPIRED,
    );
  });

  test.each([
    [undefined, 'MISSING_FIELD', 'credential is required'],
    [5, 'INVALID_FORMAT', 'credential must be an object'],
    [{ id: 'AAAA', rawId: 'AAAA', type: 'public-key' }, 'MISSING_FIELD', 'credential.response is required'],
    [
      { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: 1, response: {} },
      'INVALID_FORMAT',
      'credential.clientExtensionResults must be an object',
    ],
  ])('the credential %j, in plain words', async (credential, code, details) => {
    const { passkey_token } = await loginOptions(services);
    const { status, body } = await present({ passkey_token, credential });
    expect([status, body.error]).toEqual([400, expect.objectContaining({ code, details })]);
  });

  test('the challenge of another browser', async () => {
    const { authenticator } = await withPasskey(services);
    const [own, other] = [await loginOptions(services), await loginOptions(services)];
    const credential = authenticator.get(other.options);
    expect(outcome(await present({ passkey_token: own.passkey_token, credential }))).toEqual(REFUSED);
  });

  test.each([
    ['disabled', { account_status: 'disabled' }, 'account disabled', REFUSED],
    [
      'not verified',
      { verified: false },
      'not verified',
      { status: 403, body: errorEnvelope('ACCOUNT_NOT_VERIFIED', 'Account not verified') },
    ],
  ])('an account that is %s, after the signature', async (_, fields, reason, answer) => {
    const { authenticator, email, _id } = await withPasskey(services);
    await services.db.users.updateOne({ _id }, { $set: fields as object });
    expect(outcome(await logIn(services, authenticator))).toEqual(answer);
    expect(outcome(await logIn(services, authenticator, { signature: randomBytes(70) }))).toEqual(REFUSED);
    expect(await outcomesOf(email)).toEqual([reason, 'passkey refused']);
  });

  test('an account whose deletion has begun, and restores one whose deletion is only asked for', async () => {
    const { authenticator, _id } = await withPasskey(services);
    const at = new Date(services.clock.now());
    const deletion = {
      requested_at: at,
      due_at: new Date(at.getTime() + 1e9),
      next: new Date(at.getTime() + 1e9),
    };
    await services.db.users.updateOne({ _id }, { $set: { deletion } });
    expect((await logIn(services, authenticator)).status).toBe(200);
    expect(await services.db.users.findOne({ _id })).not.toHaveProperty('deletion');
    await services.db.users.updateOne({ _id }, { $set: { deletion: { ...deletion, begun_at: at } } });
    expect((await logIn(services, authenticator)).status).toBe(401);
  });

  test('tokens of other kinds', async () => {
    const user = await withPasskey(services);
    const { authenticator, authorization } = user;
    const { passkey_token, options } = await loginOptions(services);
    const credential = authenticator.get(options);
    const half = tokens.factor(
      { account: user._id.toHexString(), enrollment: 'one', began: services.clock.now() },
      services.clock.now(),
    );
    const session = authorization.replace('Bearer ', '');
    for (const other of [half, session, 'x', `${passkey_token}x`])
      expect(outcome(await present({ passkey_token: other, credential }))).toEqual(EXPIRED);
    const headers = { authorization: `Bearer ${passkey_token}` };
    expect((await send(`${services.user}/api/v1/users/me`, { headers })).status).toBe(401);
    const asFactor = { factor_token: passkey_token, code: '123456' };
    expect((await postJson(`${services.login}/api/v1/auth/login/factor`, asFactor)).status).toBe(401);
  });

  test.each([
    ['no credential', { credential: undefined }, 400],
    ['a credential that is no object', { credential: 'x' }, 400],
    ['another type of credential', { type: 'password' }, 400],
    ['an id that is an object', { id: { $ne: '' } }, 400],
    ['a signature that is not base64url', { signature: '$' }, 400],
  ])('%s', async (_, change, status) => {
    const { authenticator } = await withPasskey(services);
    const { passkey_token, options } = await loginOptions(services);
    const { response, ...credential } = authenticator.get(options);
    const bent = { ...credential, response: { ...response, ...change }, ...change };
    const body = 'credential' in change ? { passkey_token, ...change } : { passkey_token, credential: bent };
    expect((await present(body)).status).toBe(status);
  });
});

test('two processes that use one ceremony concurrently: one succeeds', async () => {
  const { authenticator } = await withPasskey(services);
  const { db, clock } = services;
  const second = await buildLoginService({ config: testConfig('login'), db, now: clock.now });
  onTestFinished(() => second.close());
  const urls = [services.login, await listen(second)];
  const { passkey_token, options } = await loginOptions(services);
  const body = { passkey_token, credential: authenticator.get(options) };
  const answers = await Promise.all(Array.from({ length: 8 }, (_, turn) => present(body, urls[turn % 2])));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(400)]);
});

describe('the Direct contract', () => {
  test('takes forms, and a credential as text', async () => {
    const { authenticator, user_id } = await withPasskey(services);
    expect(outcome(await logInDirect(services, authenticator))).toEqual({
      status: 200,
      body: { message: 'Login successful', token: expect.any(String), user_id },
    });
    for (const credential of ['x', '{}', 'null', '[]']) {
      const { passkey_token } = await loginOptions(services);
      const answer = await postForm(`${services.login}/v2/login/passkey`, { passkey_token, credential });
      expect(outcome(answer)).toEqual({
        status: 400,
        body: { detail: 'credential must be the answer of navigator.credentials.get() as JSON' },
      });
    }
  });
});

describe('where passkeys are off', () => {
  test('there are no options', async () => {
    const config = testConfig('login', { PUBLIC_URL: 'https://192.0.2.1' });
    const service = await buildLoginService({ config, db: services.db, now: services.clock.now });
    onTestFinished(() => service.close());
    const answer = await postJson(`${await listen(service)}/api/v1/auth/login/passkey/options`, {});
    expect(outcome(answer)).toEqual(
      failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found', 'There are no passkeys at this address'),
    );
  });
});
