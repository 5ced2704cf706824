import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { startGateway, startHttp } from '../fixtures/gateway.ts';
import { send } from '../fixtures/http.ts';
import { startServices } from '../fixtures/services.ts';

type Started<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

const OWN = [
  '/v2/login',
  '/.well-known/webauthn',
  '/v2/login/factor',
  '/v2/login/passkey',
  '/v2/login/passkey/options',
  '/v2/signup',
  '/v2/verify-otp',
  '/v2/forgot-password',
  '/v2/reset-password',
  '/api/v1/auth/login',
  '/api/v1/auth/login/factor',
  '/api/v1/auth/login/passkey',
  '/api/v1/auth/login/passkey/options',
  '/api/v1/auth/ldap',
  '/api/v1/auth/ldap/factor',
  '/api/v1/auth/ways',
  '/api/v1/crawl/upload-pdf',
  '/api/v1/chat-3d/respond',
  '/health',
  '/health/live',
  '/health/ready',
];
const THEIRS = [
  '/social/{provider}/callback',
  '/social/{provider}/login',
  '/auth/refresh',
  '/auth/logout',
  '/api/v1/auth/refresh',
  '/api/v1/auth/logout',
  '/api/v1/auth/confirm',
  '/api/v1/auth/confirm/passkey/options',
  '/api/v1/users/me',
  '/api/v1/users/me/audit',
  '/api/v1/users/me/data',
  '/api/v1/users/me/picture',
  '/api/v1/users/me/password',
  '/api/v1/users/me/passkeys',
  '/api/v1/users/me/passkeys/options',
  '/api/v1/users/me/passkeys/{passkey_id}',
  '/api/v1/users/me/operator',
  '/api/v1/users/me/keys',
  '/api/v1/users/me/keys/{key_id}',
  '/api/v1/users/me/keys/{key_id}/rotate',
  '/api/v1/organizations/{organization_id}/service-accounts',
  '/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}',
  '/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}/keys',
  '/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}/keys/{key_id}',
  '/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}/keys/{key_id}/rotate',
  '/api/v1/users/me/links',
  '/api/v1/users/me/links/{link_id}',
  '/api/v1/users/me/factors',
  '/api/v1/users/me/factors/totp',
  '/api/v1/users/me/factors/totp/confirm',
  '/api/v1/users/me/factors/recovery-codes',
  '/api/v1/users/me/email',
  '/api/v1/users/me/email/verify',
  '/api/v1/pictures/{picture_id}',
  '/api/v1/users/email/undo',
  '/api/v1/users/me/roles',
  '/api/v1/users/me/sessions',
  '/api/v1/users/me/sessions/{session_id}',
  '/api/v1/chatbots',
  '/api/v1/chatbots/create',
  '/api/v1/chatbots/{chatbot_id}',
  '/api/v1/chatbots/{chatbot_id}/duplicate',
  '/api/v1/chatbots/{chatbot_id}/access',
  '/api/v1/chatbots/{chatbot_id}/access/me',
  '/api/v1/chatbots/{chatbot_id}/access/{user_id}',
  '/api/v1/organizations',
  '/api/v1/organizations/{organization_id}',
  '/api/v1/organizations/{organization_id}/audit',
  '/api/v1/organizations/{organization_id}/owners',
  '/api/v1/organizations/{organization_id}/owners/{user_id}',
  '/api/v1/organizations/{organization_id}/departments',
  '/api/v1/organizations/{organization_id}/departments/{department_id}',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/analytics',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/billing',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/billing/history',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/members',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/invitations',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}/resend',
  '/api/v1/organizations/{organization_id}/offers',
  '/api/v1/organizations/{organization_id}/offers/{invitation_id}',
  '/api/v1/organizations/{organization_id}/offers/{invitation_id}/resend',
  '/api/v1/invitations',
  '/api/v1/invitations/{invitation_id}/accept',
  '/api/v1/invitations/{invitation_id}/decline',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/exports',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/exports/{export_id}',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/exports/{export_id}/download',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/reports',
  '/api/v1/organizations/{organization_id}/exports',
  '/api/v1/organizations/{organization_id}/exports/{export_id}',
  '/api/v1/organizations/{organization_id}/exports/{export_id}/download',
  '/api/v1/organizations/{organization_id}/members',
  '/api/v1/organizations/{organization_id}/members/{user_id}',
  '/api/v1/organizations/{organization_id}/reports',
  '/api/v1/chatbots/{chatbot_id}/move',
  '/api/v1/organizations/{organization_id}/archive',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/archive',
  '/api/v1/organizations/{organization_id}/departments/{department_id}/restore',
  '/api/v1/organizations/{organization_id}/restore',
  '/api/v1/organizations/{organization_id}/second-factor',
  '/api/v1/webhooks/{webhook_id}/health',
  '/api/v1/events',
  '/api/v1/webhooks',
  '/api/v1/webhooks/configure',
  '/api/v1/webhooks/{webhook_id}',
  '/api/v1/webhooks/{webhook_id}/rotate-secret',
  '/api/v1/webhooks/{webhook_id}/test',
  '/api/v1/webhooks/{webhook_id}/replay',
  '/api/v1/webhooks/{webhook_id}/cancel',
  '/api/v1/webhooks/{webhook_id}/deliveries',
  '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
  '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/cancel',
  '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
];
/** An operation as the services below document it. */
const READ = { get: { 'x-contract': 'catalogue' } };

/** The paths of single sign-on, each tested with its operation. */
const SINGLE_SIGN_ON = /^\/(?:saml|oauth|scim\/v2|api\/v1\/(?:auth\/)?sso)\//;
/** The paths of the admin API, each tested with its operation. */
const ADMIN = /^\/api\/v1\/admin\//;
const expectUnavailable = async (url: string) => {
  const { status, headers, body } = await send(`${url}/openapi.json`);
  expect({ status, retryAfter: headers.get('retry-after'), code: body.error.code }).toEqual({
    status: 503,
    retryAfter: '5',
    code: 'SERVICE_UNAVAILABLE',
  });
};
const documentAt = async (url: string) => {
  const { status, body } = await send(`${url}/openapi.json`);
  expect(status).toBe(200);
  return body;
};

describe('the document with both services up', () => {
  let services: Started<typeof startServices>;
  let gateway: Started<typeof startGateway>;
  beforeAll(async () => {
    services = await startServices();
    gateway = await startGateway({
      env: { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await services.stop();
  });

  test('covers every path of both contracts that is served', async () => {
    const { paths, openapi, info } = await documentAt(gateway.url);
    expect({ openapi, title: info.title }).toEqual({ openapi: '3.1.0', title: 'Gatehouse gateway' });
    const others = Object.keys(paths).filter((path) => !SINGLE_SIGN_ON.test(path) && !ADMIN.test(path));
    expect(others.toSorted()).toEqual([...OWN, ...THEIRS].toSorted());
    expect(Object.keys(paths['/api/v1/users/me'])).toEqual(['get', 'patch', 'delete']);
    expect(Object.keys(paths['/api/v1/chatbots/{chatbot_id}']).toSorted()).toEqual([
      'delete',
      'get',
      'patch',
    ]);
  });

  test('describes the login with its CAPTCHA, as the gateway serves it', async () => {
    const { paths } = await documentAt(gateway.url);
    const catalogue = paths['/api/v1/auth/login'].post;
    expect(Object.keys(catalogue.requestBody.content['application/json'].schema.properties)).toContain(
      'recaptcha_token',
    );
    expect(Object.keys(catalogue.responses)).toContain('429');
  });

  test('is the same for every request', async () => {
    const first = await documentAt(gateway.url);
    expect(await documentAt(gateway.url)).toEqual(first);
  });

  test('needs no bearer and spends the budget of the address', async () => {
    const first = await send(`${gateway.url}/openapi.json`);
    const second = await send(`${gateway.url}/openapi.json`);
    const [before, after] = [first, second].map(({ headers }) =>
      Number(headers.get('x-ratelimit-remaining')),
    );
    expect(after).toBe((before ?? 0) - 1);
  });
});

describe('the document with services that fail', () => {
  const started: { stop: () => Promise<void> }[] = [];
  afterEach(async () => {
    for (const { stop } of started.splice(0)) await stop();
  });
  const inFrontOf = async (url: string, limits = {}) => {
    const gateway = await startGateway({ env: { LOGIN_SERVICE_URL: url, USER_SERVICE_URL: url }, limits });
    started.push(gateway);
    return gateway.url;
  };
  const service = async (listener: Parameters<typeof startHttp>[0]) => {
    const http = await startHttp(listener);
    started.push(http);
    return http;
  };

  test.each<[string, Parameters<typeof startHttp>[0]]>([
    ['hang up', (request) => request.socket.destroy()],
    ['answer 500', (_, response) => void response.writeHead(500).end('{}')],
    ['answer with something other than JSON', (_, response) => void response.end('<html>')],
    ['answer null', (_, response) => void response.end('null')],
    ['answer a document of another shape', (_, response) => void response.end('{"paths":[1],"tags":"x"}')],
    ['answer a document without paths', (_, response) => void response.end('{"openapi":"3.1.0"}')],
    [
      'answer a document without operations for clients',
      (_, response) => void response.end('{"openapi":"3.1.0","paths":{"/health":{}}}'),
    ],
    [
      'redirect elsewhere',
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    ],
  ])('is 503 when they %s', async (_, listener) => {
    const { url } = await service(listener);
    await expectUnavailable(await inFrontOf(url));
  });

  test('is 503 when they are down or hang, and complete once they are back', async () => {
    const gone = await startHttp(() => {});
    await gone.stop();
    await expectUnavailable(await inFrontOf(gone.url));
    let up = false;
    const back = await service((_, response) => {
      if (up)
        response.end('{"openapi":"3.1.0","paths":{"/api/v1/users/me":{"get":{"x-contract":"catalogue"}}}}');
    });
    const front = await inFrontOf(back.url, { document: 50 });
    await expectUnavailable(front);
    up = true;
    expect(Object.keys((await documentAt(front)).paths).toSorted()).toEqual(
      [...OWN, '/api/v1/users/me'].toSorted(),
    );
  });

  test('is 503 when only one of them answers', async () => {
    const { url } = await service((_, response) => {
      response.end('{"openapi":"3.1.0","paths":{"/api/v1/users/me":{"get":{"x-contract":"catalogue"}}}}');
    });
    const gone = await startHttp(() => {});
    await gone.stop();
    const gateway = await startGateway({ env: { LOGIN_SERVICE_URL: url, USER_SERVICE_URL: gone.url } });
    started.push(gateway);
    await expectUnavailable(gateway.url);
  });

  test('are asked once by concurrent calls', async () => {
    const waiting: (() => void)[] = [];
    const { url } = await service((_, response) => {
      waiting.push(
        () =>
          void response.end(
            '{"openapi":"3.1.0","paths":{"/api/v1/users/me":{"get":{"x-contract":"catalogue"}}}}',
          ),
      );
    });
    const { app, stop } = await startGateway({
      env: { LOGIN_SERVICE_URL: url, USER_SERVICE_URL: url },
      limits: { document: 60_000 },
    });
    started.push({ stop });
    const calls = Array.from({ length: 5 }, () => app.inject('/openapi.json'));
    // A later call is done, so all of these are waiting.
    await app.inject('/health/live');
    await eventually(() => waiting.length === 2);
    for (const answer of waiting) answer();
    for (const call of await Promise.all(calls)) expect(call.json().paths['/api/v1/users/me']).toEqual(READ);
    expect(waiting).toHaveLength(2);
  });

  test('keeps the last known document of a service', async () => {
    let up = true;
    const { url } = await service((_, response) => {
      if (up)
        response.end(
          '{"openapi":"3.1.0","paths":{"/api/v1/users/me":{"get":{"x-contract":"catalogue"}},"/internal/events":{"get":{"x-contract":"internal"}}}}',
        );
      else response.socket?.destroy();
    });
    const env = { LOGIN_SERVICE_URL: url, USER_SERVICE_URL: url };
    const { clock, url: front, stop } = await startGateway({ env });
    started.push({ stop });
    const { paths } = await documentAt(front);
    expect(paths['/api/v1/users/me']).toEqual(READ);
    // Internal operations are left out.
    expect(Object.keys(paths)).not.toContain('/internal/events');
    up = false;
    clock.advance(6);
    expect((await documentAt(front)).paths['/api/v1/users/me']).toEqual(READ);
  });
});
