import { createTokens } from '@gatehouse/shared/identity/tokens';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { softwareAuthenticator } from '../../fixtures/authenticator.ts';
import { errorEnvelope, outcome } from '../../fixtures/envelope.ts';
import { startGateway, startUpstream } from '../../fixtures/gateway.ts';
import { type Answered, postForm, postJson, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { JWT_SECRET, startServices } from '../../fixtures/services.ts';
import { cookieOf, OWN_ORIGIN } from './cookie.ts';

/** Every operation that answers the token of the caller's session, with a body that the gateway accepts. */
const CODE = { factor_token: 'x', code: '287082' };
const PASSKEY = {
  passkey_token: 'x',
  credential: softwareAuthenticator().get({ challenge: 'x' }),
};
const GUESS = { email: 'ada@example.com', code: '048213' };
const FORMS: Record<string, Record<string, string>> = {
  '/v2/login': { email: 'ada@example.com', password: 'secret' },
  '/v2/login/factor': CODE,
  '/v2/login/passkey': { passkey_token: 'x', credential: JSON.stringify(PASSKEY.credential) },
  '/v2/login/code/verify': GUESS,
};
const LOGINS: Record<string, object> = {
  '/api/v1/auth/login': { email: 'ada@example.com', password: 'secret' },
  '/api/v1/auth/login/factor': CODE,
  '/api/v1/auth/login/passkey': PASSKEY,
  '/api/v1/auth/login/code/verify': GUESS,
  '/api/v1/auth/ldap': { connection: 'acme', username: 'ada', password: 'secret' },
  '/api/v1/auth/ldap/factor': CODE,
  '/api/v1/auth/sso/exchange': { code: 'x' },
};
const RENEWALS: Record<string, object> = {
  '/auth/refresh': {},
  '/api/v1/auth/refresh': {},
  '/api/v1/auth/confirm': { password: 'secret' },
  '/api/v1/users/me/email/verify': { code: '048213' },
};

let service: Awaited<ReturnType<typeof startUpstream>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let bearer: string;
let token: string;
/** The token in a cookie, as it is set for the lifetime of the token. */
let cookie: string;
beforeAll(async () => {
  service = await startUpstream();
  gateway = await startGateway({
    env: {
      LOGIN_SERVICE_URL: service.url,
      USER_SERVICE_URL: service.url,
      LOGIN_BY_CODE: 'on',
      RATE_LIMIT: 'off',
    },
  });
  const ada = await newMember(gateway.db);
  bearer = bearerOf(ada, gateway.clock.now());
  token = createTokens({ JWT_SECRET }).session(
    { email: ada.email, user_id: ada.user_id ?? null },
    gateway.clock.now(),
    { lifetime: 1_234 },
  );
  cookie = `__Host-gatehouse-session=${token}; Max-Age=1234; Path=/; Secure; HttpOnly; SameSite=Lax`;
});
afterAll(async () => {
  await gateway.stop();
  await service.stop();
});
beforeEach(() => {
  Object.assign(service.answer, { status: 200 });
  service.received.length = 0;
});

const DIRECT = { message: 'Login successful', user_id: 'User-483920' };
const CATALOGUE = { expires_in: 1234, user_id: 'User-483920' };
const answerWith = (body: object) => {
  service.answer.body = JSON.stringify(body);
};
const seen = ({ status, headers, body }: Answered) => ({ status, body, cookies: headers.getSetCookie() });
const ASKED = { 'x-session-mode': 'cookie', origin: OWN_ORIGIN };

describe.each([
  ...Object.entries(FORMS).map(([path, form]) => ({
    path,
    post: (headers: Record<string, string>) => postForm(gateway.url + path, form, headers),
    whole: () => ({ message: DIRECT.message, token, user_id: DIRECT.user_id }),
    withoutToken: DIRECT as object,
  })),
  ...Object.entries({ ...LOGINS, ...RENEWALS }).map(([path, json]) => ({
    path,
    post: (headers: Record<string, string>) =>
      postJson(gateway.url + path, json, path in RENEWALS ? { authorization: bearer, ...headers } : headers),
    whole: () => ({ access_token: token, token_type: 'Bearer', ...CATALOGUE }),
    withoutToken: { token_type: 'Cookie', ...CATALOGUE } as object,
  })),
])('$path', ({ post, whole, withoutToken }) => {
  test('answers the token in the body, or in a cookie to whom asks for it', async () => {
    answerWith(whole());
    expect(seen(await post({}))).toEqual({ status: 200, body: whole(), cookies: [] });
    const asked = await post(ASKED);
    expect(seen(asked)).toEqual({ status: 200, body: withoutToken, cookies: [cookie] });
    expect(asked.headers.get('cache-control')).toBe('no-store');
  });

  test('does nothing for another mode, or for a page of another origin', async () => {
    answerWith(whole());
    const unknown = await post({ ...ASKED, 'x-session-mode': 'token' });
    expect(unknown.status).toBe(400);
    expect(JSON.stringify(unknown.body)).toContain('X-Session-Mode must be cookie');
    const foreign = await post({ ...ASKED, origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(JSON.stringify(foreign.body)).toContain('must come from a page of an allowed origin');
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect(foreign.headers.get('access-control-allow-credentials')).toBeNull();
    expect([unknown, foreign].flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
    expect(service.received).toEqual([]);
  });

  test('sets no cookie with a failure', async () => {
    service.answer.status = 401;
    answerWith({ detail: 'Invalid code', factor_token: token });
    const { status, headers, body } = await post(ASKED);
    expect({ status, body }).toEqual({ status: 401, body: { detail: 'Invalid code', factor_token: token } });
    expect(headers.getSetCookie()).toEqual([]);
  });

  test('answers nothing if the service answered no token', async () => {
    answerWith({ ...withoutToken, hidden: token });
    const { status, headers, body } = await post(ASKED);
    expect(status).toBe(503);
    expect(headers.getSetCookie()).toEqual([]);
    expect(JSON.stringify(body)).not.toContain(token);
  });
});

test.each(Object.entries(RENEWALS))('%s answers a cookie with a cookie, also unasked', async (path, body) => {
  answerWith({ access_token: token, token_type: 'Bearer', ...CATALOGUE });
  const answer = await postJson(gateway.url + path, body, { cookie: cookieOf(bearer), origin: OWN_ORIGIN });
  expect(seen(answer)).toEqual({
    status: 200,
    body: { token_type: 'Cookie', ...CATALOGUE },
    cookies: [cookie],
  });
});

test.each(Object.entries(LOGINS))(
  '%s answers a token to whom sends a cookie and does not ask for one',
  async (path, body) => {
    const whole = { access_token: token, token_type: 'Bearer', ...CATALOGUE };
    answerWith(whole);
    const answer = await postJson(gateway.url + path, body, { cookie: cookieOf(bearer), origin: OWN_ORIGIN });
    expect(seen(answer)).toEqual({ status: 200, body: whole, cookies: [] });
  },
);

test('both shapes of the refusals', async () => {
  const answers = await Promise.all(
    ['/v2/login', '/api/v1/auth/login'].map((path) => {
      const headers = { 'x-session-mode': 'cookie', origin: 'https://evil.example' };
      const fields = { email: 'ada@example.com', password: 'secret' };
      const post = path === '/v2/login' ? postForm : postJson;
      return post(gateway.url + path, fields, headers);
    }),
  );
  const text = 'A call with the session cookie must come from a page of an allowed origin';
  expect(answers.map(outcome)).toEqual([
    { status: 403, body: { detail: text } },
    { status: 403, body: errorEnvelope('ORIGIN_NOT_ALLOWED', text) },
  ]);
});

test('the document has the header at each of them, and the cookie wherever there is a bearer', async () => {
  const services = await startServices({ env: { LOGIN_BY_CODE: 'on' } });
  const front = await startGateway({
    env: { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user, LOGIN_BY_CODE: 'on' },
  });
  const { body } = await send(`${front.url}/openapi.json`);
  await front.stop();
  await services.stop();
  const operations = Object.entries<Record<string, DocumentedOperation>>(body.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, ...operation })),
  );
  const names = ({ parameters = [] }: DocumentedOperation) => parameters.map(({ name }) => name);
  const pathsOf = (matches: (operation: DocumentedOperation) => boolean) =>
    operations
      .filter(matches)
      .map(({ path }) => path)
      .toSorted();
  const all = [...Object.keys({ ...FORMS, ...LOGINS, ...RENEWALS })].toSorted();
  expect(pathsOf((operation) => names(operation).includes('X-Session-Mode'))).toEqual(all);
  const answersSession = ({ responses }: DocumentedOperation) => {
    const example = responses['200']?.content?.['application/json']?.example ?? {};
    const names = Object.keys(example);
    return names.includes('access_token') || (names.includes('token') && names.includes('message'));
  };
  expect(pathsOf(answersSession)).toEqual(all);

  const has = ({ security = [] }: DocumentedOperation, scheme: string) =>
    security.some((each) => scheme in each);
  const withBearer = pathsOf((operation) => has(operation, 'bearer'));
  expect(withBearer.length).toBeGreaterThan(100);
  expect(pathsOf((operation) => has(operation, 'cookie'))).toEqual(withBearer);
  expect(body.components.securitySchemes.cookie).toMatchObject({
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-gatehouse-session',
  });
});

interface DocumentedOperation {
  parameters?: { name: string }[];
  security?: object[];
  responses: Record<string, { content?: Record<string, { example?: object }> }>;
}
