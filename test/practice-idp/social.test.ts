import { createPrivateKey, randomUUID } from 'node:crypto';
import { type PracticeIdp, startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey } from '@gatehouse/practice-idp/signing-key';
import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postForm, send } from '../fixtures/http.ts';
import { answerAt, answerOf } from './social-person.ts';

const GATEHOUSE = 'http://localhost:8000';
const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

let practice: PracticeIdp;
beforeAll(async () => {
  const key = await createSigningKey();
  practice = await startPracticeIdp({ port: 0, ldapPort: 0, gatehouse: GATEHOUSE, key });
});
afterAll(() => practice.stop());
beforeEach(() => {
  for (const { switches } of Object.values(practice.social)) switches.clear();
  practice.social.apple.forget();
});

const callbackOf = (provider: string) => `${GATEHOUSE}/social/${provider}/callback`;

/** The client secret of Apple, with deviations. */
async function appleSecret(deviation: Record<string, unknown> = {}, header: object = {}): Promise<string> {
  const { ISSUER, CLIENT_ID, TEAM_ID, KEY_ID, PRIVATE_KEY } = practice.social.apple.settings;
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: TEAM_ID, sub: CLIENT_ID, aud: ISSUER, iat: now, exp: now + 300, ...deviation };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: KEY_ID, ...header })
    .sign(createPrivateKey(PRIVATE_KEY));
}

const SCOPES = {
  google: 'openid email profile',
  microsoft: 'openid email profile',
  apple: 'openid email name',
};
type OpenIdProvider = keyof typeof SCOPES;

/** Begins a login at an OpenID provider as a client would. */
async function begin(provider: OpenIdProvider, deviation: Record<string, string> = {}) {
  const { ISSUER, CLIENT_ID } = practice.social[provider].settings;
  const { body: document } = await send(`${ISSUER}/.well-known/openid-configuration`);
  const verifier = randomPKCECodeVerifier();
  const nonce = randomUUID();
  const state = randomUUID();
  const parameters = new URLSearchParams({
    client_id: CLIENT_ID,
    redirect_uri: callbackOf(provider),
    response_type: 'code',
    scope: SCOPES[provider],
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...(provider === 'apple' && { response_mode: 'form_post' }),
    ...deviation,
  });
  return {
    document,
    address: `${document.authorization_endpoint}?${parameters}`,
    state,
    nonce,
    exchange: async (code: string, fields: Record<string, string> = {}) =>
      postForm(document.token_endpoint, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callbackOf(provider),
        client_id: CLIENT_ID,
        client_secret:
          provider === 'apple' ? await appleSecret() : practice.social[provider].settings.CLIENT_SECRET,
        code_verifier: verifier,
        ...fields,
      }),
  };
}

/** Logs a person in. @returns the answer of the browser, the verified ID token and the answer of userinfo. */
async function logIn(provider: OpenIdProvider, form: Record<string, string> = { person: 'ada' }) {
  const login = await begin(provider);
  const answer = await answerAt(login.address, form);
  expect(answer).toMatchObject({ address: callbackOf(provider), fields: { state: login.state } });
  const { status, body } = await login.exchange(String(answer.fields.code));
  expect(status).toBe(200);
  const { payload, protectedHeader } = await jwtVerify(
    body.id_token,
    createRemoteJWKSet(new URL(login.document.jwks_uri)),
    { audience: practice.social[provider].settings.CLIENT_ID, algorithms: ['RS256'] },
  );
  expect(payload.nonce).toBe(login.nonce);
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
  const { nonce: _nonce, iat: _iat, exp: _exp, aud: _aud, ...claims } = payload;
  const headers = { authorization: `Bearer ${body.access_token}` };
  const { userinfo_endpoint } = login.document;
  const userinfo = userinfo_endpoint && (await send(userinfo_endpoint, { headers })).body;
  return { answer, claims, userinfo };
}

describe('Google', () => {
  const NAMES = {
    name: 'Ada Lovelace',
    given_name: 'Ada',
    family_name: 'Lovelace',
    picture: expect.stringMatching(/^https:/),
  };
  test('describes a person of a Workspace', async () => {
    const { answer, claims, userinfo } = await logIn('google');
    const { ISSUER, CLIENT_ID } = practice.social.google.settings;
    expect(answer).toStrictEqual({
      address: callbackOf('google'),
      isPosted: false,
      fields: {
        state: expect.any(String),
        code: expect.any(String),
        iss: ISSUER,
        scope: 'openid email profile',
        authuser: '0',
        hd: 'practice.test',
        prompt: 'consent',
      },
    });
    const address = { email: 'ada@practice.test', email_verified: true, hd: 'practice.test' };
    expect(claims).toStrictEqual({
      iss: ISSUER,
      azp: CLIENT_ID,
      sub: expect.stringMatching(/^\d{21}$/),
      ...address,
      ...NAMES,
    });
    expect(userinfo).toStrictEqual({ sub: claims.sub, ...address, ...NAMES });
  });

  test('has no `hd` for a personal account', async () => {
    practice.social.google.switches.add('personal');
    const { answer, claims } = await logIn('google');
    expect([answer.fields.hd, claims.hd]).toEqual([undefined, undefined]);
  });
});

describe('Microsoft', () => {
  test('describes a person, without `email_verified`, under the issuer of their tenant', async () => {
    const { base } = practice;
    const { answer, claims, userinfo } = await logIn('microsoft');
    expect(Object.keys(answer.fields).toSorted()).toEqual(['code', 'session_state', 'state']);
    const tid = String(claims.tid);
    const names = { name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' };
    expect(claims).toStrictEqual({
      iss: `${base}/microsoft/${tid}/v2.0`,
      ver: '2.0',
      tid,
      oid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      sub: expect.stringMatching(/^[\w-]{43}$/),
      email: 'ada@practice.test',
      xms_edov: true,
      preferred_username: 'ada@practice.test',
      ...names,
    });
    expect(userinfo).toStrictEqual({ sub: claims.sub, email: 'ada@practice.test', ...names });
  });

  test('has a template in the issuer of `common`, and the tenant elsewhere', async () => {
    const issuers = await Promise.all(
      ['common', 'organizations', 'consumers', PERSONAL_TENANT].map(async (tenant) => {
        const address = `${practice.base}/microsoft/${tenant}/v2.0/.well-known/openid-configuration`;
        return (await send(address)).body.issuer.replace(`${practice.base}/microsoft/`, '');
      }),
    );
    const personal = `${PERSONAL_TENANT}/v2.0`;
    expect(issuers).toEqual(['{tenantid}/v2.0', '{tenantid}/v2.0', personal, personal]);
  });

  test('has one tenant for all personal accounts', async () => {
    practice.social.microsoft.switches.add('personal');
    const { claims } = await logIn('microsoft');
    expect(claims).toMatchObject({
      tid: PERSONAL_TENANT,
      iss: `${practice.base}/microsoft/${PERSONAL_TENANT}/v2.0`,
    });
  });
});

describe('Apple', () => {
  test('posts the answer, with the name at the first login only', async () => {
    const first = await logIn('apple');
    expect(first.answer).toStrictEqual({
      address: callbackOf('apple'),
      isPosted: true,
      fields: { state: expect.any(String), code: expect.any(String), user: expect.any(String) },
    });
    expect(JSON.parse(String(first.answer.fields.user))).toStrictEqual({
      name: { firstName: 'Ada', lastName: 'Lovelace' },
      email: 'ada@practice.test',
    });
    expect(first.claims).toStrictEqual({
      iss: practice.social.apple.settings.ISSUER,
      sub: expect.stringMatching(/^\d{6}\.[0-9a-f]{32}\.\d{4}$/),
      email: 'ada@practice.test',
      email_verified: 'true',
      auth_time: expect.any(Number),
      nonce_supported: true,
    });
    const second = await logIn('apple');
    expect(Object.keys(second.answer.fields)).toEqual(['state', 'code']);
    expect(second.claims.sub).toBe(first.claims.sub);
    expect(second.userinfo).toBeUndefined();
  });

  test('hides an address behind a relay', async () => {
    const { answer, claims } = await logIn('apple', { person: 'grace', hide: 'on' });
    expect(claims).toMatchObject({
      email: expect.stringMatching(/^[0-9a-f]{10}@privaterelay\.practice\.test$/),
      email_verified: 'true',
      is_private_email: 'true',
    });
    expect(JSON.parse(String(answer.fields.user)).email).toBe(claims.email);
  });

  test.each([
    ['of another team', { iss: 'OTHER' }, {}],
    ['of another client', { sub: 'other' }, {}],
    ['for another audience', { aud: 'https://other.example' }, {}],
    ['that has expired', { exp: 1 }, {}],
    ['that never expires', { exp: undefined }, {}],
    ['for more than six months', { exp: Math.floor(Date.now() / 1000) + 15_800_000 }, {}],
    ['of another key id', {}, { kid: 'OTHER' }],
  ])('refuses a client secret %s', async (_name, claims, header) => {
    const login = await begin('apple');
    const { fields } = await answerAt(login.address, { person: 'ada' });
    const refused = await login.exchange(String(fields.code), {
      client_secret: await appleSecret(claims, header),
    });
    expect({ status: refused.status, error: refused.body.error }).toEqual({
      status: 400,
      error: 'invalid_client',
    });
    expect((await login.exchange(String(fields.code))).status).toBe(200);
  });

  test.each([
    ['profile', { scope: 'openid email profile' }, 'invalid_scope'],
    ['a query', { response_mode: 'query' }, 'response_mode must be form_post'],
    ['an ID token alone', { response_type: 'id_token' }, 'Invalid response type'],
  ])('refuses a request for %s', async (_name, deviation, text) => {
    const { address } = await begin('apple', deviation);
    const { status, body } = await send(address, { headers: { accept: 'text/html' } });
    expect({ status, body }).toEqual({ status: 400, body: expect.stringContaining(text) });
  });
});

describe.each(['google', 'microsoft', 'apple'] as const)('every OpenID provider: %s', (provider) => {
  test.each([
    ['a client that it does not know', { client_id: 'other' }, 'invalid_client'],
    ['another redirect URI', { redirect_uri: `${callbackOf(provider)}/` }, 'redirect_uri_mismatch'],
    ['another response type', { response_type: 'token' }, 'response.type'],
  ])('tells the person of %s', async (_name, deviation, text) => {
    const { address } = await begin(provider, deviation);
    const { status, body } = await send(address, { headers: { accept: 'text/html' } });
    expect({ status, body }).toEqual({
      status: 400,
      body: expect.stringMatching(new RegExp(text.replace('.', '[ _]'), 'i')),
    });
  });

  test.each([
    ['another secret', { client_secret: 'other' }, 'invalid_client'],
    ['another client', { client_id: 'other' }, 'invalid_client'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['another code', { code: 'other' }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: GATEHOUSE }, 'invalid_grant'],
    ['another verifier', { code_verifier: 'other' }, 'invalid_grant'],
  ])('exchanges nothing for %s', async (_name, deviation, error) => {
    const login = await begin(provider);
    const { fields } = await answerAt(login.address, { person: 'ada' });
    const { status, body } = await login.exchange(String(fields.code), deviation);
    expect({ status, error: body.error }).toEqual({ status: 400, error });
  });

  test('exchanges a code once', async () => {
    const login = await begin(provider);
    const { fields } = await answerAt(login.address, { person: 'ada' });
    const answers = [await login.exchange(String(fields.code)), await login.exchange(String(fields.code))];
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });

  test('shows no person who may not log in', async () => {
    practice.staff.setCondition('ada', 'disabled');
    const { address } = await begin(provider);
    const { body } = await send(address, { headers: { accept: 'text/html' } });
    const form = { method: 'POST', body: new URLSearchParams({ person: 'ada' }) };
    const forced = await send(address, { ...form, headers: { accept: 'text/html' } });
    practice.staff.setCondition('ada', 'active');
    expect(body).not.toContain('ada@practice.test');
    expect(forced.status).toBe(400);
  });
});

describe('GitHub', () => {
  const github = () => practice.social.github.settings;
  const api = (path: string, token: string, headers = {}) =>
    send(`${github().ISSUER}/api/v3${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
  const addressWith = (deviation: Record<string, string> = {}) =>
    `${github().ISSUER}/login/oauth/authorize?${new URLSearchParams({
      client_id: github().CLIENT_ID,
      redirect_uri: callbackOf('github'),
      scope: 'read:user user:email',
      state: 'state',
      ...deviation,
    })}`;
  const exchange = (fields: Record<string, string>, accept = 'application/json') =>
    postForm(
      `${github().ISSUER}/login/oauth/access_token`,
      { client_id: github().CLIENT_ID, client_secret: github().CLIENT_SECRET, ...fields },
      { accept },
    );
  async function codeOf(form: Record<string, string> = { person: 'ada' }): Promise<string> {
    return String((await answerAt(addressWith(), form)).fields.code);
  }
  const tokenOf = async (): Promise<string> => (await exchange({ code: await codeOf() })).body.access_token;

  test('names the issuer in its answer', async () => {
    expect((await answerAt(addressWith(), { person: 'ada' })).fields).toStrictEqual({
      state: 'state',
      iss: `${github().ISSUER}/login/oauth`,
      code: expect.any(String),
    });
  });

  test('answers JSON to who accepts it, otherwise a form', async () => {
    const json = await exchange({ code: await codeOf() });
    const answer = { token_type: 'bearer', scope: 'read:user,user:email' };
    expect(json).toMatchObject({
      status: 200,
      body: { access_token: expect.stringMatching(/^gho_/), ...answer },
    });
    const form = await exchange({ code: await codeOf() }, '*/*');
    expect(form.headers.get('content-type')).toBe('application/x-www-form-urlencoded; charset=utf-8');
    expect(Object.fromEntries(new URLSearchParams(form.body))).toEqual({
      access_token: expect.stringMatching(/^gho_/),
      ...answer,
    });
  });

  test('describes a person without an address, and lists their addresses', async () => {
    const token = await tokenOf();
    const user = await api('/user', token);
    expect(user.body).toMatchObject({
      login: 'ada',
      id: expect.any(Number),
      name: 'Ada Lovelace',
      email: null,
    });
    const noreply = `${user.body.id}+ada@users.noreply.practice.test`;
    expect((await api('/user/emails', token)).body).toStrictEqual([
      { email: 'ada@practice.test', primary: true, verified: true, visibility: 'private' },
      { email: noreply, primary: false, verified: true, visibility: null },
    ]);
  });

  test.each([
    ['another secret', { client_secret: 'other' }, 'incorrect_client_credentials'],
    ['another client', { client_id: 'other' }, 'incorrect_client_credentials'],
    ['another redirect URI', { redirect_uri: GATEHOUSE }, 'redirect_uri_mismatch'],
    ['another code', { code: 'other' }, 'bad_verification_code'],
  ])('answers 200 and an error to %s', async (_name, deviation, error) => {
    const { status, body } = await exchange({ code: await codeOf(), ...deviation });
    expect({ status, body }).toEqual({
      status: 200,
      body: { error, error_description: expect.any(String), error_uri: expect.stringMatching(/^https:/) },
    });
  });

  test('exchanges a code once, with the verifier of its challenge', async () => {
    const verifier = randomPKCECodeVerifier();
    const code_challenge = await calculatePKCECodeChallenge(verifier);
    const answer = await answerAt(addressWith({ code_challenge }), { person: 'ada' });
    const code = String(answer.fields.code);
    expect((await exchange({ code, code_verifier: verifier })).body.access_token).toMatch(/^gho_/);
    expect((await exchange({ code, code_verifier: verifier })).body.error).toBe('bad_verification_code');
    const other = await answerAt(addressWith({ code_challenge }), { person: 'ada' });
    expect((await exchange({ code: String(other.fields.code) })).body.error).toBe('bad_verification_code');
  });

  test.each([
    ['without a token', '', {}, 401],
    ['with another token', 'gho_other', {}, 401],
    ['without a User-Agent', 'right', { 'user-agent': '' }, 403],
  ])('refuses a call %s', async (_name, token, headers, status) => {
    expect((await api('/user', token === 'right' ? await tokenOf() : token, headers)).status).toBe(status);
  });

  test('tells no addresses without the scope', async () => {
    const answer = await answerAt(addressWith({ scope: 'read:user' }), { person: 'ada' });
    const { body } = await exchange({ code: String(answer.fields.code) });
    expect((await api('/user/emails', body.access_token)).status).toBe(404);
  });

  test('tells the client of a refusal', async () => {
    expect((await answerAt(addressWith(), { refuse: '1' })).fields).toStrictEqual({
      state: 'state',
      iss: `${github().ISSUER}/login/oauth`,
      error: 'access_denied',
      error_description: expect.any(String),
      error_uri: expect.stringMatching(/^https:/),
    });
  });
});

describe('switches', () => {
  const flip = (provider: string, name: string, headers = {}) =>
    postForm(`${practice.base}/social`, { provider, switch: name }, headers);

  test('are turned on and off on a page', async () => {
    const on = await flip('google', 'slow');
    expect(on.body).toContain('value="slow" aria-pressed="true"');
    expect([...practice.social.google.switches]).toEqual(['slow']);
    await flip('google', 'slow');
    await flip('google', 'constructor');
    await flip('constructor', 'slow');
    expect([...practice.social.google.switches]).toEqual([]);
    expect((await flip('google', 'slow', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect([...practice.social.google.switches]).toEqual([]);
  });

  test('Apple forgets', async () => {
    await logIn('apple');
    await postForm(`${practice.base}/social`, { forget: '1' });
    expect((await logIn('apple')).answer.fields.user).toBeDefined();
  });

  test.each([
    ['google', 'access_denied'],
    ['microsoft', 'access_denied'],
    ['apple', 'user_cancelled_authorize'],
  ] as const)('a refusal of the person, or of %s', async (provider, error) => {
    const { address, state } = await begin(provider);
    expect((await answerAt(address, { refuse: '1' })).fields).toMatchObject({ state, error });
    practice.social[provider].switches.add('refuses');
    const answer = answerOf(await send(address, { headers: { accept: 'text/html' } }));
    expect(answer.fields).toMatchObject({ state, error });
    expect(answer.fields.code).toBeUndefined();
  });

  test.each([
    ['google', { email_verified: false }],
    ['microsoft', { xms_edov: false }],
    ['apple', { email_verified: 'false' }],
  ] as const)('an address that is not verified, at %s', async (provider, claims) => {
    practice.social[provider].switches.add('unverified');
    expect((await logIn(provider)).claims).toMatchObject({ email: 'ada@practice.test', ...claims });
  });

  test.each(['google', 'microsoft', 'apple'] as const)('another address or none, at %s', async (provider) => {
    const { switches } = practice.social[provider];
    const { sub } = (await logIn(provider)).claims;
    switches.add('changed');
    expect((await logIn(provider)).claims).toMatchObject({ sub, email: 'ada.new@practice.test' });
    switches.add('no-email');
    const { claims } = await logIn(provider);
    expect([claims.sub, claims.email, claims.email_verified, claims.xms_edov]).toEqual([
      sub,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test.each(['google', 'microsoft', 'apple'] as const)(
    'a recycled subject or address, at %s',
    async (provider) => {
      const { switches } = practice.social[provider];
      const [ada, grace] = [await logIn(provider), await logIn(provider, { person: 'grace' })];
      expect(grace.claims.sub).not.toBe(ada.claims.sub);
      switches.add('recycled');
      const recycled = await logIn(provider, { person: 'grace' });
      expect(recycled.claims).toMatchObject({ sub: ada.claims.sub, email: 'grace@practice.test' });
      switches.clear();
      switches.add('renewed');
      const renewed = await logIn(provider, { person: 'grace' });
      expect(renewed.claims.email).toBe('grace@practice.test');
      expect([ada.claims.sub, grace.claims.sub]).not.toContain(renewed.claims.sub);
    },
  );

  test('a token endpoint that fails, and a provider that is down', async () => {
    const { switches } = practice.social.google;
    const login = await begin('google');
    const { fields } = await answerAt(login.address, { person: 'ada' });
    switches.add('down');
    const down = await login.exchange(String(fields.code));
    expect({ status: down.status, body: down.body }).toEqual({
      status: 503,
      body: { error: 'temporarily_unavailable' },
    });
    switches.clear();
    switches.add('token-error');
    expect((await login.exchange(String(fields.code))).body.error).toBe('invalid_grant');
  });
});
