import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../../fixtures/gateway.ts';
import { member } from '../../fixtures/members.ts';
import { envelope, exchange, refusal, startPlatform } from '../platform.ts';

type Started<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

const PATH = '/api/v1/chat-3d/respond';
const MESSAGE = { chatbot_id: 'bot-1', message: 'Hello', user_id: 'visitor 7' };

let chat: Started<typeof startPlatform>;
let gateway: Started<typeof startGateway>;
let ada: Started<typeof member>;
beforeAll(async () => {
  chat = await startPlatform();
  gateway = await startGateway({ env: { UPSTREAM_CHAT_3D: chat.url } });
  ada = await member(gateway.db, gateway.clock);
});
afterEach(() => chat.reset());
afterAll(async () => {
  await gateway.stop();
  await chat.stop();
});

const respond = (body: unknown, headers: Record<string, string> = {}) =>
  exchange(`${gateway.url}${PATH}`, {
    method: 'POST',
    headers: { authorization: ada.authorization, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test.each<[string, Record<string, unknown>]>([
  ['with the fields of the contract', MESSAGE],
  ['with any characters', { ...MESSAGE, message: ' 🜁 <b>\u0000\n "quoted" ' }],
  ['with unknown fields', { ...MESSAGE, session: { id: 1, tags: ['a'] }, stream: true }],
])('forwards a message %s, and returns the chat service’s response', async (_, message) => {
  chat.reply = (_call, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'x-voice': 'v' }).end(Buffer.from([0, 255, 1]));
  };
  const { status, headers, body } = await respond(message);
  expect({ status, body: [...body] }).toEqual({ status: 200, body: [0, 255, 1] });
  expect(headers).toMatchObject({ 'content-type': 'audio/mpeg', 'x-voice': 'v' });
  expect(chat.calls.map(({ body: sent, ...call }) => ({ ...call, body: JSON.parse(String(sent)) }))).toEqual([
    {
      method: 'POST',
      url: PATH,
      complete: true,
      body: message,
      headers: expect.objectContaining({ 'content-type': 'application/json', 'x-user-id': ada.user_id }),
    },
  ]);
});

const missing = (details: string) => envelope(400, 'MISSING_FIELD', 'A required field is missing', details);
const malformed = (details: unknown = expect.any(String)) =>
  envelope(400, 'INVALID_FORMAT', 'The request is malformed', details as string);
const without = (field: keyof typeof MESSAGE) => ({ ...MESSAGE, [field]: undefined });

test.each<[string, unknown, Record<string, string>, unknown]>([
  ['lacks chatbot_id', without('chatbot_id'), {}, missing('chatbot_id is required')],
  ['lacks message', without('message'), {}, missing('message is required')],
  ['lacks user_id', without('user_id'), {}, missing('user_id is required')],
  ['has an empty message', { ...MESSAGE, message: '' }, {}, missing('message is required')],
  ['has a number as message', { ...MESSAGE, message: 1 }, {}, malformed('message must be a string')],
  ['has null as chatbot_id', { ...MESSAGE, chatbot_id: null }, {}, malformed('chatbot_id must be a string')],
  ['has an array as user_id', { ...MESSAGE, user_id: ['x'] }, {}, malformed('user_id must be a string')],
  ['is an array', [MESSAGE], {}, malformed('body must be a JSON object')],
  ['is a string', '"hello"', {}, malformed('body must be a JSON object')],
  ['is null', 'null', {}, expect.objectContaining({ status: 400 })],
  ['is empty', '', {}, missing('body is required')],
  ['is broken JSON', '{"chatbot_id":', {}, malformed()],
  ['is nested 100,000 deep', '['.repeat(100_000), {}, malformed()],
  [
    'is nested 100,000 levels deep',
    `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    {},
    expect.objectContaining({ status: 400 }),
  ],
  ['sets a prototype', '{"__proto__":{"x":1},"chatbot_id":"a","message":"b","user_id":"c"}', {}, malformed()],
  ['is larger than a mebibyte', { ...MESSAGE, message: 'x'.repeat(1024 * 1024) }, {}, malformed()],
  [
    'is a form',
    'chatbot_id=a&message=b&user_id=c',
    { 'content-type': 'application/x-www-form-urlencoded' },
    malformed(),
  ],
  ['is plain text', JSON.stringify(MESSAGE), { 'content-type': 'text/plain' }, malformed()],
  ['is compressed', JSON.stringify(MESSAGE), { 'content-encoding': 'gzip' }, malformed()],
])('returns 400 and does not call the chat service when the body %s', async (_, body, headers, expected) => {
  expect(refusal(await respond(body, headers))).toEqual(expected);
  expect(chat.calls).toEqual([]);
});

test('forwards or refuses a body with a deeply nested extra field', async () => {
  const deep = `{"chatbot_id":"a","message":"b","user_id":"c","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const { status } = await respond(deep);
  expect([200, 400]).toContain(status);
  if (status === 200) expect(String(chat.calls[0]?.body)).toBe(deep);
  else expect(chat.calls).toEqual([]);
});

test('forwards numbers that JavaScript cannot represent unchanged', async () => {
  const body = '{"chatbot_id":"a","message":"b","user_id":"c","ref":9007199254740993}';
  await respond(body);
  expect(String(chat.calls[0]?.body)).toBe(body);
});

test('runs once for an Idempotency-Key', async () => {
  const key = { 'idempotency-key': 'turn-1' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => respond(MESSAGE, key)));
  expect(answers.map(({ status }) => status).filter((status) => status === 200).length).toBeGreaterThan(0);
  expect((await respond(MESSAGE, key)).body.toString()).toBe('{"ok":true}');
  expect((await respond({ ...MESSAGE, message: 'other' }, key)).status).toBe(409);
  expect(chat.calls).toHaveLength(1);
});

test('returns 401 without a bearer, before the body is validated', async () => {
  expect(refusal(await respond('{', { authorization: '' }))).toEqual(
    envelope(401, 'INVALID_TOKEN', 'No authorization header'),
  );
});

test('returns 503 while UPSTREAM_CHAT_3D is unset', async () => {
  const bare = await startGateway();
  const { authorization } = await member(bare.db, bare.clock);
  const answer = await exchange(`${bare.url}${PATH}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(MESSAGE),
  });
  expect(refusal(answer)).toStrictEqual(
    envelope(
      503,
      'SERVICE_UNAVAILABLE',
      'Service unavailable',
      'No service is configured for /api/v1/chat-3d/',
    ),
  );
  await bare.stop();
});

test('forwards the other operations below the prefix', async () => {
  const { status } = await exchange(`${gateway.url}/api/v1/chat-3d/voices?x=1`, {
    headers: { authorization: ada.authorization },
  });
  expect(status).toBe(200);
  expect(chat.calls.map(({ url }) => url)).toEqual(['/api/v1/chat-3d/voices?x=1']);
});
