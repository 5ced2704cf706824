import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { member } from '../../fixtures/members.ts';
import { envelope, exchange, refusal, startPlatform } from '../platform.ts';

type Started<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

const PATH = '/api/v1/crawl/upload-pdf';
const TYPE = 'multipart/form-data; boundary=limit';

let crawler: Started<typeof startPlatform>;
let gateway: Started<typeof startGateway>;
let ada: Started<typeof member>;
beforeAll(async () => {
  crawler = await startPlatform();
  gateway = await startGateway({ env: { UPSTREAM_CRAWL: crawler.url } });
  ada = await member(gateway.db, gateway.clock);
});
afterEach(() => crawler.reset());
afterAll(async () => {
  await gateway.stop();
  await crawler.stop();
});

const part = (disposition: string, content: string | Buffer, more = '') =>
  Buffer.concat([
    Buffer.from(`--limit\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--limit--\r\n')]);
const PDF = Buffer.from('%PDF-1.7\n\u0000\u00ff\r\n--limi\r\n%%EOF');
const file = part('name="file"; filename="a b ü.pdf"', PDF, 'Content-Type: application/pdf\r\n');
const bot = part('name="chatbot_id"', 'bot-1');

const send = (body: Buffer, headers: Record<string, string> = {}) =>
  exchange(`${gateway.url}${PATH}`, {
    method: 'POST',
    headers: { authorization: ada.authorization, 'content-type': TYPE, ...headers },
    body,
  });

describe('a form with a file and a chatbot_id', () => {
  test.each<[string, Buffer, Record<string, string>]>([
    ['file first', form(file, bot), {}],
    ['chatbot_id first', form(bot, file), {}],
    ['with fields of other names', form(part('name="note"', 'x'), file, part('name="note"', 'y'), bot), {}],
    [
      'with a second file of another name',
      form(file, part('name="cover"; filename="c.png"', 'png'), bot),
      {},
    ],
    ['in chunks', form(file, bot), { 'transfer-encoding': 'chunked' }],
    [
      'with a preamble and an epilogue',
      Buffer.concat([Buffer.from('hi\r\n'), form(file, bot), Buffer.from('bye')]),
      {},
    ],
    [
      'a quoted boundary',
      form(file, bot),
      { 'content-type': 'Multipart/Form-Data; charset=utf-8; boundary="limit"' },
    ],
    ['an empty file', form(part('name="file"; filename="a.pdf"', ''), bot), {}],
    ['a file without a name', form(part('name="file"; filename=""', PDF), bot), {}],
    ['a megabyte', form(part('name="file"; filename="a.pdf"', Buffer.alloc(1_000_000, 'x')), bot), {}],
  ])('%s is forwarded byte for byte, and the crawler’s response returned', async (_, body, headers) => {
    crawler.reply = (_call, response) => {
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"job":"j-1"}');
    };
    const answer = await send(body, headers);
    expect({ status: answer.status, body: answer.body.toString() }).toEqual({
      status: 201,
      body: '{"job":"j-1"}',
    });
    expect(crawler.calls).toHaveLength(1);
    const [call] = crawler.calls;
    expect(call?.body.equals(body)).toBe(true);
    expect(call).toMatchObject({
      method: 'POST',
      url: PATH,
      complete: true,
      headers: { 'content-type': headers['content-type'] ?? TYPE, 'x-user-id': ada.user_id },
    });
  });

  test('keeps its content-length', async () => {
    const body = form(file, bot);
    await send(body);
    expect(crawler.calls[0]?.headers['content-length']).toBe(String(body.length));
  });
});

const missing = (field: string) =>
  envelope(400, 'MISSING_FIELD', 'A required field is missing', `${field} is required`);
const malformed = (details = 'The request is malformed') =>
  envelope(400, 'INVALID_FORMAT', 'The request is malformed', details);
const notMultipart = malformed('The body must be multipart/form-data');

test.each<[string, Buffer, Record<string, string>, unknown]>([
  ['has no file', form(bot), {}, missing('file')],
  ['has no chatbot_id', form(file), {}, missing('chatbot_id')],
  ['has no parts', form(), {}, expect.objectContaining({ status: 400 })],
  ['has an empty chatbot_id', form(file, part('name="chatbot_id"', '')), {}, missing('chatbot_id')],
  ['has a text field in place of the file', form(part('name="file"', 'text'), bot), {}, missing('file')],
  [
    'has a file in place of the chatbot_id',
    form(file, part('name="chatbot_id"; filename="x"', 'bot')),
    {},
    missing('chatbot_id'),
  ],
  ['has names in another case', form(part('name="File"; filename="x"', 'x'), bot), {}, missing('file')],
  ['has two files', form(file, bot, file), {}, malformed('file is given more than once')],
  ['has two chatbot_ids', form(bot, file, bot), {}, malformed('chatbot_id is given more than once')],
  [
    'hides a second chatbot_id behind a hundred fields',
    form(file, bot, ...Array.from({ length: 100 }, (_, index) => part(`name="f${index}"`, 'x')), bot),
    {},
    malformed(),
  ],
  ['has an endless chatbot_id', form(file, part('name="chatbot_id"', 'x'.repeat(70_000))), {}, malformed()],
  ['ends in the middle of the file', form(bot, file).subarray(0, -40), {}, malformed()],
  [
    'ends in the middle of a header',
    Buffer.from('--limit\r\nContent-Disposition: form-data; na'),
    {},
    malformed(),
  ],
  ['ends before its last boundary', Buffer.concat([file, bot]), {}, malformed()],
  [
    'has another boundary',
    form(file, bot),
    { 'content-type': 'multipart/form-data; boundary=other' },
    malformed(),
  ],
  ['names no boundary', form(file, bot), { 'content-type': 'multipart/form-data' }, notMultipart],
  ['is empty', Buffer.alloc(0), {}, malformed()],
  [
    'is a urlencoded form',
    Buffer.from('file=x&chatbot_id=y'),
    { 'content-type': 'application/x-www-form-urlencoded' },
    notMultipart,
  ],
  ['is JSON', Buffer.from('{"chatbot_id":"x"}'), { 'content-type': 'application/json' }, notMultipart],
  [
    'is multipart/mixed',
    form(file, bot),
    { 'content-type': 'multipart/mixed; boundary=limit' },
    notMultipart,
  ],
  ['has no content type', form(file, bot), { 'content-type': '' }, malformed()],
  ['is garbage', Buffer.alloc(100_000, 0xff), {}, malformed()],
])(
  'returns 400, and the crawler never receives a complete request, when the body %s',
  async (_, body, headers, expected) => {
    expect(refusal(await send(body, headers))).toEqual(expected);
    await eventually(() => crawler.calls.every(({ headers: { connection } }) => connection !== undefined));
    expect(crawler.calls.filter(({ complete }) => complete)).toEqual([]);
    // The gateway still works.
    expect((await send(form(file, bot))).status).toBe(200);
  },
);

test('cuts off a large form that is invalid at its end', async () => {
  const large = part('name="file"; filename="a.pdf"', Buffer.alloc(5_000_000, 'x'));
  expect(refusal(await send(form(large)))).toEqual(missing('chatbot_id'));
  await eventually(() => crawler.calls.length === 1 && (crawler.calls[0]?.body.length ?? 0) > 1_000_000);
  expect(crawler.calls[0]?.complete).toBe(false);
});

test('does not read the rest of a form that it has refused', async () => {
  const outgoing = request(`${gateway.url}${PATH}`, {
    method: 'POST',
    headers: {
      authorization: ada.authorization,
      'content-type': 'application/json',
      'content-length': 1_000_000_000,
    },
  });
  outgoing.on('error', () => {}).write('{');
  const [answer] = await once(outgoing, 'response');
  expect(answer.statusCode).toBe(400);
  expect(answer.headers.connection).toBe('close');
  outgoing.destroy();
});

test('leaves no complete request when the client disconnects', async () => {
  const outgoing = request(`${gateway.url}${PATH}`, {
    method: 'POST',
    headers: { authorization: ada.authorization, 'content-type': TYPE, 'transfer-encoding': 'chunked' },
  });
  outgoing.on('error', () => {}).write(Buffer.concat([bot, file]));
  outgoing.write(Buffer.alloc(100));
  await eventually(() => crawler.calls.length === 1);
  outgoing.destroy();
  await eventually(() => (crawler.calls[0]?.body.length ?? 0) > 0);
  expect(crawler.calls[0]?.complete).toBe(false);
});

test('releases the Idempotency-Key of an invalid form, and stores that of a valid one', async () => {
  const key = { 'idempotency-key': 'upload-1' };
  expect((await send(form(file), key)).status).toBe(400);
  expect((await send(form(file, bot), key)).status).toBe(200);
  const calls = crawler.calls.filter(({ complete }) => complete).length;
  expect((await send(form(file, bot), key)).status).toBe(200);
  expect(refusal(await send(form(bot, file), key)).status).toBe(409);
  expect(calls).toBe(1);
  expect(crawler.calls.filter(({ complete }) => complete)).toHaveLength(1);
});

test('returns 401 without a bearer, and 503 without a crawler or while it is down', async () => {
  expect(refusal(await send(form(file, bot), { authorization: '' })).status).toBe(401);
  const bare = await startGateway();
  const { authorization } = await member(bare.db, bare.clock);
  expect(
    refusal(
      await exchange(`${bare.url}${PATH}`, {
        method: 'POST',
        headers: { authorization, 'content-type': TYPE },
        body: form(file, bot),
      }),
    ),
  ).toEqual(
    envelope(
      503,
      'SERVICE_UNAVAILABLE',
      'Service unavailable',
      'No service is configured for /api/v1/crawl/',
    ),
  );
  await bare.stop();
});

test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('forwards %s without validation', async (method) => {
  const { status } = await exchange(`${gateway.url}${PATH}`, {
    method,
    headers: { authorization: ada.authorization },
  });
  expect(status).toBe(200);
  expect(crawler.calls.map((call) => call.method)).toEqual([method]);
});
