import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, postForm, send } from '../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../fixtures/services.ts';

let services: Services;
let code: string;
const EMAIL = 'victim@example.com';
beforeAll(async () => {
  services = await startServices({ env: { LOG_LEVEL: 'error' } });
  const form = { email: EMAIL, password: 'secret', name: 'Victim' };
  await postForm(`${services.user}/v2/signup`, form);
  code = mailedCode(services.mailbox, EMAIL);
  before = await stored();
  services.logged.length = 0;
});
afterAll(() => services.stop());

const stored = async () => ({
  users: await services.db.users.find().toArray(),
  features: await services.db.features.find().toArray(),
  // The mark of events that are to be relayed goes in its own time.
  audit_events: await services.db.auditEvents.find({}, { projection: { relay: 0, unlinked: 0 } }).toArray(),
});
let before: Awaited<ReturnType<typeof stored>>;
/** After every request: no record was written, no mail sent, and no error logged. */
afterEach(async () => {
  expect(await stored()).toEqual(before);
  expect(services.mailbox.mails).toHaveLength(1);
  expect(services.logged).toEqual([]);
});

type Fields = Record<string, string>;
/** Sends one or more malformed requests, made from the operation's valid fields. */
type Hostile = (url: string, fields: Fields) => Promise<Answered> | Promise<Answered[]>;

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

const post = (url: string, type: string | undefined, body: string | Uint8Array, headers: Fields = {}) =>
  send(url, {
    method: 'POST',
    // Bytes, for which no content type is added.
    body: typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body),
    headers: { ...(type && { 'content-type': type }), ...headers },
  });
const encode = (fields: Fields) => new URLSearchParams(fields).toString();

const part = (name: string, value: string, disposition = '', ...headers: string[]) =>
  [`--b`, `Content-Disposition: form-data; name="${name}"${disposition}`, ...headers, '', value, ''].join(
    '\r\n',
  );
const parts = (fields: Fields) =>
  Object.entries(fields)
    .map(([name, value]) => part(name, value))
    .join('');

/** One request for every field of the operation. */
const eachField = (
  url: string,
  fields: Fields,
  type: string,
  bodyOf: (name: string, rest: Fields) => string,
) =>
  Promise.all(
    Object.keys(fields).map((name) => {
      const { [name]: _, ...rest } = fields;
      return post(url, type, bodyOf(name, rest));
    }),
  );

/** Writes a raw request, half-closes the connection and reads the response. */
function exchange(url: string, head: string[], body = ''): Promise<Answered> {
  const { hostname, port, pathname, host } = new URL(url);
  const lines = [`POST ${pathname} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...head];
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [answer, content = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      const status = Number(answer?.split(' ')[1]);
      resolve({ status, headers: new Headers(), body: content ? JSON.parse(content) : content });
    });
  });
}

const malformed: Record<string, Hostile> = {
  'no body': (url) => send(url, { method: 'POST' }),
  'an empty form': (url) => post(url, URLENCODED, ''),
  'an empty multipart form': (url) => post(url, MULTIPART, '--b--\r\n'),
  'an empty multipart body': (url) => post(url, MULTIPART, ''),
  JSON: (url, fields) => post(url, 'application/json', JSON.stringify(fields)),
  'JSON with a charset': (url, fields) =>
    post(url, 'application/json; charset=utf-8', JSON.stringify(fields)),
  'JSON declared as a form': (url, fields) => post(url, URLENCODED, JSON.stringify(fields)),
  'plain text': (url, fields) => post(url, 'text/plain', encode(fields)),
  XML: (url) =>
    post(url, 'application/xml', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
  'no content type': (url, fields) => post(url, undefined, encode(fields)),
  'an invalid content type': (url, fields) => post(url, ';;/=', encode(fields)),
  'two content types': (url, fields) => post(url, `${URLENCODED}, application/json`, encode(fields)),
  'a misspelled content type': (url, fields) => post(url, 'application/x-www-form-urlencode', encode(fields)),
  'another multipart': (url, fields) => post(url, 'multipart/mixed; boundary=b', `${parts(fields)}--b--\r\n`),
  'a Latin-1 form': (url, fields) => post(url, `${URLENCODED}; charset=iso-8859-1`, encode(fields)),
  'a UTF-16 form': (url, fields) =>
    post(url, `${URLENCODED}; charset=utf-16`, Buffer.from(encode(fields), 'utf16le')),
  'a compressed form': (url, fields) =>
    post(url, URLENCODED, gzipSync(encode(fields)), { 'content-encoding': 'gzip' }),
  'fields in the query alone': (url, fields) => post(`${url}?${encode(fields)}`, URLENCODED, ''),
  'fields in the query and unknown fields in the form': (url, fields) =>
    post(`${url}?${encode(fields)}`, URLENCODED, 'a=b'),

  'a missing field': (url, fields) => eachField(url, fields, URLENCODED, (_, rest) => encode(rest)),
  'an empty field': (url, fields) =>
    eachField(url, fields, URLENCODED, (name, rest) => encode({ ...rest, [name]: '' })),
  'a field without a value': (url, fields) =>
    eachField(url, fields, URLENCODED, (name, rest) => `${encode(rest)}&${name}`),
  'a blank e-mail': (url, fields) => post(url, URLENCODED, encode({ ...fields, email: ' \t\r\n\u00a0' })),
  'a field twice': (url, fields) =>
    eachField(url, fields, URLENCODED, (name) => `${encode(fields)}&${encode({ [name]: 'x' })}`),
  'a field twice with the same value': (url, fields) =>
    eachField(
      url,
      fields,
      URLENCODED,
      (name) => `${encode(fields)}&${encode({ [name]: fields[name] as string })}`,
    ),
  'a field twice, once with an escaped name': (url, fields) =>
    post(url, URLENCODED, `${encode(fields)}&%65mail=x`),
  'an unknown field twice': (url, fields) => post(url, URLENCODED, `${encode(fields)}&a=1&a=2`),
  '__proto__ twice': (url, fields) => post(url, URLENCODED, `${encode(fields)}&__proto__=1&__proto__=2`),
  'a list': (url, fields) =>
    eachField(url, fields, URLENCODED, (name, rest) => encode({ ...rest, [`${name}[]`]: 'x' })),
  'an operator': (url, fields) =>
    eachField(url, fields, URLENCODED, (name, rest) => encode({ ...rest, [`${name}[$ne]`]: 'x' })),
  'a field in capitals': (url, fields) =>
    eachField(url, fields, URLENCODED, (name, rest) => encode({ ...rest, [name.toUpperCase()]: 'x' })),

  'bytes that are not UTF-8': (url, fields) =>
    post(url, URLENCODED, Buffer.concat([Buffer.from(`${encode(fields)}&a=`), Buffer.from([0xff, 0xfe])])),
  'escapes that are not UTF-8': (url, fields) =>
    eachField(url, fields, URLENCODED, (name, rest) => `${encode(rest)}&${name}=%ff%fe`),
  'an overlong NUL': (url, fields) => post(url, URLENCODED, `${encode(fields)}&a=%c0%80`),
  'half a surrogate pair': (url, fields) => post(url, URLENCODED, `${encode(fields)}&a=%ed%a0%80`),
  'half an escape': (url, fields) => post(url, URLENCODED, `${encode(fields)}&a=%4`),
  'an invalid escape': (url, fields) => post(url, URLENCODED, `${encode(fields)}&%zz=a`),
  'an escape in the name that is not UTF-8': (url, fields) =>
    post(url, URLENCODED, `${encode(fields)}&%ff=a`),

  'more than 64 KiB of text': (url, fields) =>
    post(url, URLENCODED, encode({ ...fields, a: 'x'.repeat(65_536) })),
  'more than 64 KiB of names': (url, fields) =>
    post(url, URLENCODED, encode({ ...fields, ['x'.repeat(65_536)]: '' })),
  'more than 64 KiB in a field': (url, fields) =>
    eachField(url, fields, URLENCODED, (name, rest) => encode({ ...rest, [name]: 'x'.repeat(65_537) })),
  'more than 64 KiB of text in multipart': (url, fields) =>
    post(url, MULTIPART, `${parts({ ...fields, a: 'x'.repeat(40_000), b: 'x'.repeat(40_000) })}--b--\r\n`),
  'a part of more than 64 KiB': (url, fields) =>
    post(url, MULTIPART, `${parts({ ...fields, a: 'x'.repeat(65_537) })}--b--\r\n`),
  '101 fields': (url, fields) =>
    post(url, URLENCODED, `${encode(fields)}&${Array.from({ length: 101 }, (_, n) => `f${n}=`).join('&')}`),
  '101 parts': (url, fields) =>
    post(
      url,
      MULTIPART,
      `${parts(fields)}${Array.from({ length: 101 }, (_, n) => part(`f${n}`, '')).join('')}--b--\r\n`,
    ),

  'no boundary': (url, fields) => post(url, 'multipart/form-data', `${parts(fields)}--b--\r\n`),
  'an empty boundary': (url, fields) =>
    post(url, 'multipart/form-data; boundary=', `${parts(fields)}--b--\r\n`),
  'another boundary': (url, fields) =>
    post(url, 'multipart/form-data; boundary=c', `${parts(fields)}--b--\r\n`),
  'a form without its final boundary': (url, fields) => post(url, MULTIPART, parts(fields)),
  'a form truncated in a boundary': (url, fields) => post(url, MULTIPART, `${parts(fields)}--b`),
  'a form truncated in a part': (url, fields) => post(url, MULTIPART, parts(fields).slice(0, -3)),
  'a form truncated in the headers of a part': (url, fields) =>
    post(url, MULTIPART, `${parts(fields)}--b\r\nContent-Disposition: form-d`),
  'a multipart field twice': (url, fields) =>
    eachField(url, fields, MULTIPART, (name) => `${parts(fields)}${part(name, 'x')}--b--\r\n`),
  'a missing multipart field': (url, fields) =>
    eachField(url, fields, MULTIPART, (_, rest) => `${parts(rest)}--b--\r\n`),
  'a file in place of a field': (url, fields) =>
    eachField(
      url,
      fields,
      MULTIPART,
      (name, rest) => `${parts(rest)}${part(name, fields[name] as string, '; filename="a.txt"')}--b--\r\n`,
    ),
  'a file without a name in place of a field': (url, fields) =>
    eachField(
      url,
      fields,
      MULTIPART,
      (name, rest) => `${parts(rest)}${part(name, fields[name] as string, '; filename=""')}--b--\r\n`,
    ),
  'a file beside the fields': (url, fields) =>
    post(
      url,
      MULTIPART,
      `${parts(fields)}${part('photo', 'x', '; filename="a.png"', 'Content-Type: image/png')}--b--\r\n`,
    ),
  'a JSON part': (url, fields) =>
    eachField(
      url,
      fields,
      MULTIPART,
      (name, rest) =>
        `${parts(rest)}${part(name, JSON.stringify({ $ne: '' }), '', 'Content-Type: application/json')}--b--\r\n`,
    ),
  'a part in base64': (url, fields) =>
    eachField(
      url,
      fields,
      MULTIPART,
      (name, rest) => `${parts(rest)}${part(name, 'eA==', '', 'Content-Transfer-Encoding: base64')}--b--\r\n`,
    ),
  'a part that is not UTF-8': (url, fields) =>
    post(url, MULTIPART, Buffer.from(`${parts(fields)}${part('a', '\xff\xfe')}--b--\r\n`, 'latin1')),
  'a part without a name': (url, fields) =>
    post(url, MULTIPART, `${parts(fields)}--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n`),

  'a body shorter than its Content-Length': (url, fields) =>
    exchange(url, [`Content-Type: ${URLENCODED}`, 'Content-Length: 5000'], encode(fields)),
  'a multipart body shorter than its Content-Length': (url, fields) =>
    exchange(url, [`Content-Type: ${MULTIPART}`, 'Content-Length: 5000'], parts(fields)),
  'a truncated chunked body': (url, fields) =>
    exchange(url, [`Content-Type: ${URLENCODED}`, 'Transfer-Encoding: chunked'], `fff\r\n${encode(fields)}`),
  'an invalid chunk': (url, fields) =>
    exchange(
      url,
      [`Content-Type: ${URLENCODED}`, 'Transfer-Encoding: chunked'],
      `xyz\r\n${encode(fields)}\r\n0\r\n\r\n`,
    ),
  'two Content-Lengths': (url, fields) =>
    exchange(
      url,
      [`Content-Type: ${URLENCODED}`, 'Content-Length: 3', `Content-Length: ${encode(fields).length}`],
      encode(fields),
    ),
};

const password = (field: string): Record<string, Hostile> => ({
  'a password of 1025 bytes': (url, fields) =>
    post(url, URLENCODED, encode({ ...fields, [field]: 'x'.repeat(1025) })),
  'a password of 513 two-byte letters': (url, fields) =>
    post(url, URLENCODED, encode({ ...fields, [field]: 'é'.repeat(513) })),
});

const operations: [operation: string, fields: () => Fields, more: Record<string, Hostile>][] = [
  ['signup', () => ({ email: EMAIL, password: 'eve', name: 'Eve' }), password('password')],
  ['verify-otp', () => ({ email: EMAIL, otp: code }), {}],
  ['forgot-password', () => ({ email: EMAIL }), {}],
  ['reset-password', () => ({ email: EMAIL, otp: code, new_password: 'eve' }), password('new_password')],
];

const INTERNAL =
  /FST_|ERR_|ECONN|Mongo|BSON|[Zz]od|[Ff]astify|busboy|node_modules|\bat .*:\d+|Error|\n|undefined|\[object/;

describe.each(operations)('POST /v2/%s', (operation, fields, more) => {
  const url = () => `${services.user}/v2/${operation}`;

  test.each(Object.entries({ ...malformed, ...more }))('returns 400 for %s', async (_what, hostile) => {
    const answers = [await hostile(url(), fields())].flat();
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({ status: 400, body: { detail: expect.any(String) } });
      expect(body.detail).not.toBe('');
      expect(body.detail).not.toMatch(INTERNAL);
    }
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY'])('returns 404 for %s', async (method) => {
    const { status, body } = await send(url(), {
      method,
      ...(method !== 'GET' && { body: new URLSearchParams(fields()) }),
      headers: { 'x-http-method-override': 'POST' },
    });
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'Not found' } });
  });

  test.each(['/v2/OP/', '/v2//OP', '/v2/OP.json', '/v2/OP%00', '/v2/OP;a=b', '/v2/%2e%2e/v2/OP'])(
    'returns 400 or 404 for %s',
    async (path) => {
      const { port } = new URL(services.user);
      const body = encode(fields());
      const answer = await new Promise<string>((resolve, reject) => {
        let text = '';
        const socket = connect(Number(port), '127.0.0.1', () =>
          socket.end(
            `POST ${path.replaceAll('OP', operation)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${URLENCODED}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          ),
        );
        socket.on('data', (chunk) => {
          text += chunk;
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(text));
      });
      expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    },
  );
});

test('the account is unharmed: its code still verifies', async () => {
  const verified = await postForm(`${services.user}/v2/verify-otp`, { email: EMAIL, otp: code });
  expect(verified.status).toBe(200);
  before = await stored();
});
