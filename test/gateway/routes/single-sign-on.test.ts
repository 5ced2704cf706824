import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from '../../fixtures/gateway.ts';
import { member } from '../../fixtures/members.ts';
import { envelope, exchange, refusal, startPlatform } from '../platform.ts';

type Started<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

let user: Started<typeof startPlatform>;
let gateway: Started<typeof startGateway>;
beforeAll(async () => {
  user = await startPlatform();
  gateway = await startGateway({
    env: { USER_SERVICE_URL: user.url, TRUST_PROXY: 'loopback', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '3' },
  });
});
afterEach(() => user.reset());
afterAll(async () => {
  await gateway.stop();
  await user.stop();
});

let addresses = 0;
/** A client from its own address, which has its own budget. */
function client() {
  addresses += 1;
  const address = `198.51.100.${addresses}`;
  return (path: string, { headers = {}, ...options }: Parameters<typeof exchange>[1] = {}) =>
    exchange(`${gateway.url}${path}`, { ...options, headers: { 'x-forwarded-for': address, ...headers } });
}

describe('the routes of identity providers and browsers', () => {
  test.each([
    ['GET', '/saml/login/acme'],
    ['GET', '/saml/metadata/acme'],
    ['POST', '/saml/acs'],
    ['POST', '/saml/slo'],
    ['GET', '/oauth/login/acme?login_hint=ada%40corp.example'],
    ['GET', '/oauth/callback?code=a%2Bb&state=c'],
    ['POST', '/oauth/backchannel-logout'],
    ['GET', '/scim/v2/Users?filter=userName%20eq%20%22ada%22'],
    ['DELETE', '/scim/v2/Users/01936f2e'],
    ['POST', '/api/v1/auth/sso/exchange'],
  ])('%s %s needs no bearer', async (method, path) => {
    expect((await client()(path, { method })).status).toBe(200);
    expect(user.calls.map(({ method, url }) => ({ method, url }))).toEqual([{ method, url: path }]);
  });

  test.each(['/samlx/login/acme', '/oauth2/callback', '/scim/v1/Users', '/scim/Users', '/api/v1/auth/ssox'])(
    '%s is another path',
    async (path) => {
      expect([401, 404]).toContain((await client()(path)).status);
      expect(user.calls).toEqual([]);
    },
  );

  test.each([
    '/saml/../api/v1/sso/connections',
    '/saml/%2e%2e/internal/events',
    '/saml//acs',
    '/oauth/callback;x',
  ])('%s is no spelling of a path', async (path) => {
    expect((await client()(path)).status).toBe(404);
    expect(user.calls).toEqual([]);
  });

  test('answers a logout of a provider with no-store when the budget is spent', async () => {
    const call = client();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answers = [];
    for (let turn = 0; turn < 4; turn += 1)
      answers.push(
        await call('/oauth/backchannel-logout', { method: 'POST', headers, body: 'logout_token=x' }),
      );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[3]?.headers['cache-control']).toBe('no-store');
  });

  test('forwards the form of a provider byte for byte', async () => {
    const body = 'SAMLResponse=PHg%2BCg%3d%3D&RelayState=a&RelayState=b&SAMLResponse=%';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await client()('/saml/acs', { method: 'POST', headers, body })).status).toBe(200);
    expect(user.calls[0]).toMatchObject({ body: Buffer.from(body), headers });
  });

  test('refuses a body of 10 MB, and shows a page', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = `SAMLResponse=${'A'.repeat(10_000_000)}`;
    const answer = await client()('/saml/acs', { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(user.calls).toEqual([]);
  });

  const chunked = { 'transfer-encoding': 'chunked' };
  const malformed = envelope(400, 'INVALID_FORMAT', 'The request is malformed', 'The body is too large');
  // RFC 7644 §3.7.4
  const scimTooLarge = {
    status: 413,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '413',
      detail: 'The body is too large',
    },
  };
  test.each([
    ['/saml/acs', 256, {}, malformed],
    ['/saml/acs', 256, chunked, malformed],
    ['/oauth/backchannel-logout', 256, {}, malformed],
    ['/oauth/backchannel-logout', 256, chunked, malformed],
    ['/api/v1/auth/sso/exchange', 64, {}, malformed],
    ['/api/v1/auth/sso/exchange', 64, chunked, malformed],
    ['/scim/v2/Users', 1024, {}, scimTooLarge],
    ['/scim/v2/Users', 1024, chunked, scimTooLarge],
  ])('%s takes bodies of %i KiB %j', async (path, size, headers, tooLarge) => {
    const call = client();
    const post = (bytes: number) =>
      call(path, {
        method: 'POST',
        headers: { accept: 'application/json', ...headers },
        body: Buffer.alloc(bytes, 'x'),
      });
    expect((await post(size * 1024)).status).toBe(200);
    expect(refusal(await post(size * 1024 + 1))).toEqual(tooLarge);
    expect(user.calls).toHaveLength(1);
  });

  test('refuses by its Content-Length a body that has not arrived', async () => {
    const headers = { 'content-length': String(256 * 1024 + 1), accept: 'application/json' };
    const { hostname, port } = new URL(gateway.url);
    const sent = request({ hostname, port, path: '/saml/acs', method: 'POST', headers });
    sent.on('error', () => {}).flushHeaders();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([400, 'close']);
    sent.destroy();
  });

  test('a body that is too large for SCIM counts against the budget of its address', async () => {
    const call = client();
    const body = Buffer.alloc(1024 * 1024 + 1, 'x');
    for (let turn = 0; turn < 3; turn += 1)
      expect((await call('/scim/v2/Users', { method: 'POST', body })).status).toBe(413);
    expect((await call('/scim/v2/Users', { method: 'POST', body: 'x' })).status).toBe(429);
  });

  test('passes cookies and redirects on', async () => {
    user.reply = (_, response) =>
      response
        .writeHead(303, {
          location: 'https://idp.example/sso?SAMLRequest=a%2Bb',
          'set-cookie': ['__Host-gatehouse-sso=a; Path=/; Secure; HttpOnly', 'b=c'],
          'cache-control': 'no-store',
        })
        .end();
    const { status, headers } = await client()('/saml/login/acme', { headers: { cookie: 'one=1; two=2' } });
    expect(user.calls[0]?.headers.cookie).toBe('one=1; two=2');
    expect({ status, location: headers.location, cookies: headers['set-cookie'] }).toEqual({
      status: 303,
      location: 'https://idp.example/sso?SAMLRequest=a%2Bb',
      cookies: ['__Host-gatehouse-sso=a; Path=/; Secure; HttpOnly', 'b=c'],
    });
    expect(headers['cache-control']).toBe('no-store');
  });

  test('forwards the token of SCIM, which is no session', async () => {
    const authorization = 'Bearer scim_2f8c1e';
    const { status } = await client()('/scim/v2/Users', { headers: { authorization } });
    expect(status).toBe(200);
    expect(user.calls[0]?.headers.authorization).toBe(authorization);
    expect(user.calls[0]?.headers).not.toHaveProperty('x-user-id');
  });

  test('does not judge the session of a browser', async () => {
    const { authorization } = await member(gateway.db, gateway.clock, { account_status: 'disabled' });
    expect((await client()('/oauth/callback?code=a', { headers: { authorization } })).status).toBe(200);
  });

  test('SCIM counts against the budget of its address only when its token is refused', async () => {
    const call = client();
    for (let turn = 0; turn < 8; turn += 1) expect((await call('/scim/v2/Users')).status).toBe(200);
    user.reply = (_, response) =>
      response.writeHead(401, { 'content-type': 'application/scim+json' }).end('{}');
    for (let turn = 0; turn < 3; turn += 1) expect((await call('/scim/v2/Users')).status).toBe(401);
    expect((await call('/scim/v2/Users')).status).toBe(429);
  });

  test.each(['/saml/acs', '/oauth/callback', '/api/v1/auth/sso/exchange'])(
    '%s counts against the budget of its address',
    async (path) => {
      const call = client();
      for (let turn = 0; turn < 3; turn += 1) expect((await call(path)).status).toBe(200);
      const { status, headers } = await call(path);
      expect([status, headers['retry-after']]).toEqual([429, '60']);
      expect(user.calls).toHaveLength(3);
    },
  );

  test('shows a browser a page with what to do when the gateway refuses', async () => {
    const call = client();
    for (let turn = 0; turn < 3; turn += 1) await call('/saml/login/acme');
    const page = await call('/saml/login/acme', { headers: { accept: 'text/html,*/*' } });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body.toString()).toContain('Too many requests');
    expect(page.body.toString()).toContain(`request ${page.headers['x-request-id']}`);
    const json = await call('/saml/login/acme', { headers: { accept: 'application/json' } });
    expect(JSON.parse(json.body.toString()).error.code).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('shows a page while the user service is down', async () => {
    const alone = await startGateway({ env: { USER_SERVICE_URL: 'http://127.0.0.1:1' } });
    const { status, headers, body } = await exchange(`${alone.url}/oauth/callback?code=a`);
    expect([status, headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    expect(body.toString()).toContain('Service unavailable');
    await alone.stop();
  });
});

describe('/api/v1/sso', () => {
  test('needs a bearer', async () => {
    expect(refusal(await client()('/api/v1/sso/connections'))).toEqual(
      envelope(401, 'INVALID_TOKEN', 'No authorization header'),
    );
    expect(user.calls).toEqual([]);
  });

  test('forwards the calls of an Owner', async () => {
    const { authorization, user_id } = await member(gateway.db, gateway.clock);
    const { status } = await client()('/api/v1/sso/domains', { headers: { authorization } });
    expect(status).toBe(200);
    expect(user.calls[0]?.headers).toMatchObject({ authorization, 'x-user-id': user_id });
  });
});
