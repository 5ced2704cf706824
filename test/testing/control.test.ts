import { type Gatehouse, startGatehouse } from '@gatehouse/testing';
import { startControl } from '@gatehouse/testing/control';
import { refuseForeign } from '@gatehouse/testing/refuse-foreign';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from './call.ts';

let gate: Gatehouse;
let control: Awaited<ReturnType<typeof startControl>>;
beforeAll(async () => {
  gate = await startGatehouse();
  control = await startControl(gate, 0);
});
afterAll(async () => {
  await control.stop();
  await gate.stop();
});

const post = (path: string, body: object = {}) => call(control, path, { body });

test('lists its calls and what a platform needs', async () => {
  const { body } = await call(control, '/');
  expect(body).toMatchObject({ url: gate.url, env: gate.env });
  expect(body.calls).toContain('POST /clock/advance');
});

test('serves a journey: signup, code, session, time, snapshot and faults', async () => {
  const { body: snapshot } = await post('/snapshots');
  const email = 'ada@example.com';
  const signup = { email, password: 'correct-horse', name: 'Ada' };
  const { body: pending } = await call(gate, '/v2/signup', { body: signup });
  const { body: mail } = await post('/mails/next', { address: email });
  const { body: code } = await post('/code', { address: email });
  expect(code).toStrictEqual({ code: mail.code });
  await post('/clock/advance', { by: '61s' });
  const verification = { email, otp: String(code.code), token: String(pending.token) };
  const late = await call(gate, '/v2/verify-otp', { body: verification });
  expect(late).toStrictEqual({ status: 400, body: { detail: 'OTP expired' } });

  await post('/seed', { people: [{ email: 'grace@example.com' }] });
  const { body: session } = await post('/session', {
    email: 'grace@example.com',
    roles: { Support: 'Editor' },
    app: { origin: 'http://localhost:5173', key: 'token' },
  });
  expect(session.storageState).toMatchObject({ origins: [{ origin: 'http://localhost:5173' }] });
  const token = String(session.token);
  expect((await call(gate, '/api/v1/users/me', { token })).status).toBe(200);

  await post('/fail', { fault: 'mail' });
  const other = { ...signup, email: 'other@example.com' };
  expect((await call(gate, '/v2/signup', { body: other })).status).toBe(503);
  expect((await post('/heal')).status).toBe(200);
  expect((await call(gate, '/v2/signup', { body: other })).status).toBe(200);

  expect((await post(`/snapshots/${snapshot.id}/restore`)).status).toBe(200);
  expect((await post('/mails', { address: email })).body).toStrictEqual({ mails: [] });
  expect((await call(gate, '/api/v1/users/me', { token })).status).toBe(401);
});

test.each([
  ['/clock/advance', { by: 'a while' }, 400, /is no duration/],
  ['/clock/advance', {}, 400, /^by: /],
  ['/clock/set', { to: 'tomorrow' }, 400, /is no date/],
  [
    '/mails/next',
    { address: 'nobody@example.com', timeout: 0 },
    400,
    /no mail to nobody@example.com within 0 ms/,
  ],
  ['/session', {}, 400, /^email: /],
  ['/fail', { fault: 'weather' }, 400, /^fault: /],
  ['/snapshots/99/restore', {}, 404, /no snapshot "99"/],
  ['/seed', { people: [{ email: 'x' }] }, 400, /^people\[0\]\.email: /],
  ['/nothing', {}, 404, /not found/],
])('POST %s with %j is %i', async (path, body, status, message) => {
  const answer = await post(path, body);
  expect(answer).toStrictEqual({ status, body: { error: expect.stringMatching(message) } });
});

describe('guards against pages in a browser of the machine', () => {
  const own = { host: '127.0.0.1:8009' };
  test.each([
    ['a client', own, true],
    ['a client by name', { host: 'localhost:8009' }, true],
    ['an address typed into a browser', { ...own, 'sec-fetch-site': 'none' }, true],
    ['a rebound name', { host: 'evil.example.com:8009' }, false],
    ['a name that begins like ours', { host: 'localhost.example.com:8009' }, false],
    ['another port', { host: '127.0.0.1:80' }, false],
    ['no port', { host: '127.0.0.1' }, false],
    ['no host', {}, false],
    ['another site', { ...own, origin: 'https://example.com' }, false],
    ['a page without an origin', { ...own, origin: 'null' }, false],
    ['a link from elsewhere', { ...own, 'sec-fetch-site': 'cross-site' }, false],
    ['another port of this machine', { ...own, 'sec-fetch-site': 'same-site' }, false],
  ])('%s', (_, headers, isAllowed) => {
    const attempt = () => refuseForeign({ headers, socket: { localPort: 8009 } } as never);
    if (isAllowed) expect(attempt).not.toThrow();
    else expect(attempt).toThrow('only clients on this machine may call');
  });

  test('each call is guarded, and takes JSON alone', async () => {
    const headers = { origin: 'https://example.com', 'content-type': 'application/json' };
    const foreign = await fetch(`${control.url}/session`, { method: 'POST', headers, body: '{}' });
    expect([foreign.status, await foreign.json()]).toStrictEqual([
      403,
      { error: 'only clients on this machine may call' },
    ]);
    const text = await fetch(`${control.url}/fail`, { method: 'POST', body: '{"fault":"mail"}' });
    expect(text.status).toBe(415);
  });
});
