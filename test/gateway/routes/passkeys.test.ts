import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { softwareAuthenticator } from '../../fixtures/authenticator.ts';
import { smallCounters } from '../../fixtures/counters.ts';
import { outcome, rateLimited } from '../../fixtures/envelope.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { postForm, postJson, send } from '../../fixtures/http.ts';
import { bearerOf } from '../../fixtures/members.ts';
import { withPasskey } from '../../fixtures/passkeys.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

/** Refused passkeys of a network before the gateway refuses: 30 in production. */
const LIMIT = 3;

let services: Services;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let counters: ReturnType<typeof smallCounters>;
beforeAll(async () => {
  services = await startServices();
  counters = smallCounters({ now: services.clock.now, divisor: 30 / LIMIT });
  gateway = await start();
});
afterAll(async () => {
  await gateway.stop();
  await services.stop();
});
beforeEach(() => counters.reset());

const start = (env: NodeJS.ProcessEnv = {}) =>
  startGateway({
    database: services.db,
    clock: services.clock,
    counters,
    env: {
      LOGIN_SERVICE_URL: services.login,
      USER_SERVICE_URL: services.user,
      RATE_LIMIT: 'off',
      ...env,
    },
  });
const at = (path: string, url = gateway.url) => `${url}/api/v1${path}`;
const options = async (body: object = {}) => (await postJson(at('/auth/login/passkey/options'), body)).body;

test('a passkey is registered, logs in, confirms and is removed through the gateway', async () => {
  const ada = await withPasskey(services);
  const asked = await options();
  const credential = ada.authenticator.get(asked.options);
  const login = await postJson(at('/auth/login/passkey'), { passkey_token: asked.passkey_token, credential });
  expect(login.status).toBe(200);
  expect(login.headers.get('cache-control')).toBe('no-store');
  const headers = { authorization: `Bearer ${login.body.access_token}` };

  const again = await postJson(at('/auth/confirm/passkey/options'), {}, headers);
  const proof = ada.authenticator.get(again.body.options);
  const confirmed = await postJson(
    at('/auth/confirm'),
    { passkey_token: again.body.passkey_token, credential: proof },
    headers,
  );
  expect(confirmed.status).toBe(200);

  const created = await postJson(at('/users/me/passkeys/options'), {}, headers);
  const second = softwareAuthenticator();
  const body = {
    passkey_token: created.body.passkey_token,
    credential: second.create(created.body.options),
    name: 'Key',
  };
  const registered = await postJson(at('/users/me/passkeys'), body, headers);
  expect(registered.status).toBe(201);
  const url = at(`/users/me/passkeys/${registered.body.passkey_id}`);
  expect((await send(url, { method: 'DELETE', headers })).body).toEqual({ message: 'Passkey removed' });

  const direct = await postForm(`${gateway.url}/v2/login/passkey/options`, {});
  const answer = await postForm(`${gateway.url}/v2/login/passkey`, {
    passkey_token: direct.body.passkey_token,
    credential: JSON.stringify(ada.authenticator.get(direct.body.options)),
  });
  expect(outcome(answer)).toEqual({
    status: 200,
    body: { message: 'Login successful', token: expect.any(String), user_id: ada.user_id },
  });
});

test('a registration is repeated by its Idempotency-Key', async () => {
  const ada = await withPasskey(services);
  const headers = { authorization: bearerOf(ada, services.clock.now()), 'idempotency-key': 'one' };
  const created = await postJson(at('/users/me/passkeys/options'), {}, headers);
  const credential = softwareAuthenticator().create(created.body.options);
  const body = { passkey_token: created.body.passkey_token, credential, name: 'Key' };
  const first = await postJson(at('/users/me/passkeys'), body, headers);
  expect(first.status).toBe(201);
  expect(outcome(await postJson(at('/users/me/passkeys'), body, headers))).toEqual(outcome(first));
  // The options are not kept: their token is a secret.
  const other = await postJson(at('/users/me/passkeys/options'), {}, headers);
  expect(other.body.passkey_token).not.toBe(created.body.passkey_token);
});

describe('refused passkeys of a network', () => {
  const refuse = async () => {
    const { passkey_token, options: asked } = await options();
    const authenticator = softwareAuthenticator();
    authenticator.create({ challenge: '', user: { id: 'aGFuZGxl' } });
    const credential = authenticator.get(asked);
    return postJson(at('/auth/login/passkey'), { passkey_token, credential });
  };

  test('are limited, whoever they name, and audited', async () => {
    for (let turn = 0; turn < LIMIT; turn += 1) expect((await refuse()).status).toBe(401);
    const { status, body } = await refuse();
    expect([status, body]).toEqual([
      429,
      rateLimited(body.error.limit, body.error.retry_after, services.clock.now()).body,
    ]);
    const events = await services.db.auditEvents.find({ action: 'login', email: null }).toArray();
    expect(events.map((event) => event.outcome)).toContain('unknown passkey');
  });

  test('do not hold back passwords or codes, and expired ceremonies are not counted', async () => {
    for (let turn = 0; turn < LIMIT; turn += 1) await refuse();
    const login = { email: 'nobody@example.com', password: 'x' };
    expect((await postJson(at('/auth/login'), login)).status).toBe(401);
    counters.reset();
    const credential = softwareAuthenticator().get({ challenge: 'x' });
    for (let turn = 0; turn < LIMIT + 1; turn += 1)
      expect((await postJson(at('/auth/login/passkey'), { passkey_token: 'x', credential })).status).toBe(
        400,
      );
  });
});

test('a login of a mebibyte is refused before it reaches the service', async () => {
  const { passkey_token, options: asked } = await options();
  const credential = softwareAuthenticator().get(asked, { raw: Buffer.alloc(750_000) });
  expect((await postJson(at('/auth/login/passkey'), { passkey_token, credential })).status).toBe(400);
});

describe('GET /.well-known/webauthn', () => {
  test('lists the origins', async () => {
    const answer = await send(`${gateway.url}/.well-known/webauthn`);
    expect(outcome(answer)).toEqual({ status: 200, body: { origins: ['http://localhost:8000'] } });
    const other = await start({
      PUBLIC_URL: 'https://accounts.example.com',
      PASSKEY_RP_ID: 'example.com',
      PASSKEY_ORIGINS: 'https://accounts.example.com,https://example.org',
    });
    onTestFinished(() => other.stop());
    expect((await send(`${other.url}/.well-known/webauthn`)).body).toEqual({
      origins: ['https://accounts.example.com', 'https://example.org'],
    });
  });

  test('is 404 where passkeys are off', async () => {
    const other = await start({ PUBLIC_URL: 'https://192.0.2.1' });
    onTestFinished(() => other.stop());
    expect((await send(`${other.url}/.well-known/webauthn`)).status).toBe(404);
  });
});
