import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { startGateway, startUpstream } from '../../fixtures/gateway.ts';
import { type Answered, postForm, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { exchange } from '../platform.ts';
import { cookieOf } from './cookie.ts';

const PUBLIC = 'https://accounts.example.com';
const APP = 'https://app.example.com';
const SIBLING = 'https://blog.example.com';
const EVIL = 'https://evil.example';
const PATH = '/api/v1/payment/orders';

let platform: Awaited<ReturnType<typeof startUpstream>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let ada: Awaited<ReturnType<typeof newMember>>;
let cookie: string;
let authorization: string;
beforeAll(async () => {
  platform = await startUpstream();
  gateway = await startGateway({
    env: {
      PUBLIC_URL: `${PUBLIC}/accounts`,
      COOKIE_ORIGINS: `${APP}, https://other.example.com:8443`,
      UPSTREAM_PAYMENT: platform.url,
      PUBLIC_CALLBACK_PATHS: '/api/v1/payment/webhook',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '3',
    },
  });
  ada = await newMember(gateway.db);
});
afterAll(async () => {
  await gateway.stop();
  await platform.stop();
});
beforeEach(() => {
  gateway.clock.advance(60); // resets the budgets
  authorization = bearerOf(ada, gateway.clock.now());
  cookie = cookieOf(authorization);
  platform.received.length = 0;
});

const call = (method: string, headers: Record<string, string> = {}, path = PATH) =>
  send(gateway.url + path, { method, headers: { cookie, ...headers } });
const failure = failuresAt(() => gateway.clock.now());
const foreign = (answer: Answered) =>
  failure(
    answer,
    403,
    'ORIGIN_NOT_ALLOWED',
    'A call with the session cookie must come from a page of an allowed origin',
  );
const cors = ({ headers }: Answered) => [
  headers.get('access-control-allow-origin'),
  headers.get('access-control-allow-credentials'),
];

const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE'];
const ALL = ['GET', ...UNSAFE];

/** What a browser says of the page that makes a call: the methods that are let through, and those that are refused. */
test.each<[string, Record<string, string>, string[], string[]]>([
  ['the public origin', { origin: PUBLIC }, ALL, []],
  ['an origin of the list', { origin: APP, 'sec-fetch-site': 'same-site' }, ALL, []],
  ['an origin of the list with a port', { origin: 'https://other.example.com:8443' }, ALL, []],
  ['the same origin, by Fetch Metadata alone', { 'sec-fetch-site': 'same-origin' }, ALL, []],
  ['an address that the person typed', { 'sec-fetch-site': 'none' }, ['GET'], UNSAFE],
  ['nothing', {}, ['GET'], UNSAFE],
  ['another site', { origin: EVIL }, [], ALL],
  ['another site, without an origin', { 'sec-fetch-site': 'cross-site' }, [], ALL],
  ['another host of the domain', { origin: SIBLING }, [], ALL],
  ['another host of the domain, without an origin', { 'sec-fetch-site': 'same-site' }, [], ALL],
  ['the public origin over HTTP', { origin: 'http://accounts.example.com' }, [], ALL],
  ['the public origin at another port', { origin: `${PUBLIC}:8443` }, [], ALL],
  ['an origin that begins with an allowed one', { origin: `${APP}.evil.example` }, [], ALL],
  ['an origin that ends with an allowed one', { origin: 'https://evil-app.example.com' }, [], ALL],
  ['an allowed origin in other letters', { origin: 'https://APP.example.com' }, [], ALL],
  ['a sandboxed page', { origin: 'null' }, [], ALL],
  ['an empty origin', { origin: '' }, [], ALL],
  ['two origins', { origin: `${PUBLIC}, ${EVIL}` }, [], ALL],
  ['two values of Fetch Metadata', { 'sec-fetch-site': 'same-origin, cross-site' }, [], ALL],
  ['Fetch Metadata that nobody knows', { 'sec-fetch-site': 'x' }, [], ALL],
  ['only a Referer', { referer: `${PUBLIC}/profile`, 'sec-fetch-site': 'cross-site' }, [], ALL],
])('a call with the cookie from %s', async (_, headers, allowed, refused) => {
  for (const method of allowed) expect((await call(method, headers)).status).toBe(200);
  for (const method of refused) {
    gateway.clock.advance(60); // the budget of refusals
    const answer = await call(method, headers);
    expect(outcome(answer)).toEqual(foreign(answer));
    // No script of that page reads it.
    expect([...cors(answer), ...answer.headers.getSetCookie()]).toEqual([null, null]);
  }
  expect(platform.received.map(({ method }) => method)).toEqual(allowed);
});

describe('without the cookie', () => {
  test.each([EVIL, SIBLING, 'null'])(
    'a bearer is accepted from %s, whose scripts may read it',
    async (origin) => {
      for (const headers of [
        { authorization, origin },
        { authorization, origin, cookie },
      ]) {
        const answer = await send(gateway.url + PATH, { method: 'POST', headers });
        expect(answer.status).toBe(200);
        expect(cors(answer)).toEqual([origin, 'true']);
      }
    },
  );
});

describe('a public path', () => {
  test('takes a call of another origin for one of nobody', async () => {
    const theirs = await call('POST', { origin: EVIL }, '/api/v1/payment/webhook');
    const own = await call('POST', { origin: APP }, '/api/v1/payment/webhook');
    expect([theirs, own].map(({ status }) => status)).toEqual([200, 200]);
    expect(cors(theirs)).toEqual([EVIL, 'true']);
    expect(platform.received.map(({ headers }) => [headers.authorization, headers.cookie])).toEqual([
      [undefined, undefined],
      [authorization, undefined],
    ]);
    expect(platform.received.map(({ headers }) => 'x-user-id' in headers)).toEqual([false, true]);
  });

  test('of the Direct contract is one too', async () => {
    const answer = await postForm(`${gateway.url}/v2/signup`, {}, { cookie, origin: EVIL });
    expect(outcome(answer)).toEqual({ status: 400, body: { detail: 'email is required' } });
  });
});

test('an upgrade from another origin is refused as any other call', async () => {
  const headers = {
    origin: EVIL,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
  };
  expect((await exchange(gateway.url + PATH, { headers: { ...headers, cookie } })).status).toBe(403);
});

test('refusals spend the budget of the address', async () => {
  const statuses = [];
  for (let turn = 0; turn < 4; turn += 1) statuses.push((await call('POST', { origin: EVIL })).status);
  expect(statuses).toEqual([403, 403, 403, 429]);
});

test('a preflight is answered as before, since it carries no cookie', async () => {
  const answer = await send(gateway.url + PATH, {
    method: 'OPTIONS',
    headers: { origin: EVIL, 'access-control-request-method': 'POST' },
  });
  expect(answer.status).toBe(204);
  expect(cors(answer)).toEqual([EVIL, 'true']);
});
