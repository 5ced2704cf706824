import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { loadConfig } from '@gatehouse/shared/config';
import { forms } from '@gatehouse/shared/http/forms';
import { createServer } from '@gatehouse/shared/http/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The bodies that reached the handler. */
const reached: unknown[] = [];
let app: Awaited<ReturnType<typeof createServer>>;
let port: number;

beforeAll(async () => {
  const { config } = loadConfig('login', { JWT_SECRET: 'x', LOG_LEVEL: 'silent' });
  app = await createServer({ name: 'login', description: 'A test.', config, checks: {} });
  await app.register(async (scope) => {
    await scope.register(forms);
    scope.post('/v2/echo', async (request) => {
      reached.push(request.body);
      return request.body;
    });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

/** Writes bytes to a new connection and reads one response; `closed` if the server then closed it. */
function exchange(...pieces: (string | Buffer)[]) {
  return new Promise<{ status: number; headers: string; body: unknown; closed: boolean }>(
    (resolve, reject) => {
      let received = '';
      let answer: { status: number; headers: string; body: unknown } | undefined;
      const socket = connect(port, '127.0.0.1', () => {
        for (const piece of pieces) socket.write(piece);
      });
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        const [headers = '', body = ''] = received.split('\r\n\r\n', 2);
        const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1] ?? Number.NaN);
        if (answer || !(body.length >= length)) return;
        const text = Buffer.from(body, 'latin1').toString('utf8');
        answer = { status: Number(headers.split(' ')[1]), headers, body: JSON.parse(text) };
        // The server keeps this connection open, so close it here.
        if (/^connection: keep-alive/im.test(headers)) {
          resolve({ ...answer, closed: false });
          socket.destroy();
        }
      });
      socket.on('error', (error) => answer ?? reject(error));
      socket.on('close', () =>
        answer ? resolve({ ...answer, closed: true }) : reject(new Error(`closed: ${received}`)),
      );
    },
  );
}

const post = (headers: Record<string, string>, ...pieces: (string | Buffer)[]) => {
  const lines = Object.entries({ host: 'test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return exchange(`POST /v2/echo HTTP/1.1\r\n${lines.join('')}\r\n`, ...pieces);
};

/** Posts a whole body. Text is encoded as Latin-1, one byte per character. */
async function postBody(contentType: string | undefined, body: string | Buffer) {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const headers = {
    'content-length': String(bytes.length),
    ...(contentType && { 'content-type': contentType }),
  };
  const { status, body: answer } = await post(headers, bytes);
  return { status, body: answer };
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1');
/** Builds a part. `name` may include more Content-Disposition parameters. */
const part = (name: string, value: string, ...headers: string[]) =>
  `--b\r\n${[`Content-Disposition: form-data; name="${name}"`, ...headers].join('\r\n')}\r\n\r\n${value}\r\n`;
const END = '--b--\r\n';

const accepts = (body: Record<string, string>) => ({ status: 200, body });
const refuses = (detail: string) => ({ status: 400, body: { detail } });
const MALFORMED = refuses('The request is malformed');

/** Checks the answer, and that only an accepted body reached the handler. */
async function expectAnswer(
  answer: Promise<{ status: number; body: unknown }>,
  expected: { status: number; body: unknown },
) {
  reached.length = 0;
  expect(await answer).toStrictEqual(expected);
  expect(reached).toEqual(expected.status === 200 ? [expected.body] : []);
}

describe('urlencoded', () => {
  test.each<[string, string, object]>([
    [
      'two fields',
      'email=ada%40example.com&password=secret',
      { email: 'ada@example.com', password: 'secret' },
    ],
    ['an empty form', '', {}],
    ['ampersands alone', '&&&', {}],
    ['a trailing ampersand', 'a=1&', { a: '1' }],
    ['an empty value', 'a=&b=', { a: '', b: '' }],
    ['a name without =', 'a&b=1', { a: '', b: '1' }],
    ['an empty name', '=1', { '': '1' }],
    ['= within a value', 'a=b=c==', { a: 'b=c==' }],
    ['+ is a space', 'a+b=+c+d+', { 'a b': ' c d ' }],
    ['%2B is a plus', 'a=%2B+%2b', { a: '+ +' }],
    ['spaces, tabs and line ends stay', 'a= 1%20\t%0D%0A', { a: ' 1 \t\r\n' }],
    ['raw UTF-8', utf8('a=é😀'), { a: 'é😀' }],
    ['percent-encoded UTF-8', 'a=%C3%A9%F0%9F%98%80', { a: 'é😀' }],
    ['a percent-encoded replacement character', 'a=%EF%BF%BD', { a: '\ufffd' }],
    ['NFC and NFD stay apart', utf8('a=\u00e9&b=e\u0301'), { a: '\u00e9', b: 'e\u0301' }],
    ['NUL', 'a=x%00y', { a: 'x\0y' }],
    ['a raw NUL', 'a=x\0y', { a: 'x\0y' }],
    ['a semicolon is not a separator', 'a=1;b=2', { a: '1;b=2' }],
    ['brackets do not make an object', 'a[b]=1&a[c]=2&d[]=3', { 'a[b]': '1', 'a[c]': '2', 'd[]': '3' }],
    ['names that differ in case', 'a=1&A=2', { a: '1', A: '2' }],
    [
      'constructor',
      'constructor=1&toString=2&hasOwnProperty=3',
      { constructor: '1', toString: '2', hasOwnProperty: '3' },
    ],
    [
      '100 fields',
      Array.from({ length: 100 }, (_, i) => `f${i}=`).join('&'),
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, ''])),
    ],
    ['64 KiB', `a=${'x'.repeat(65_534)}`, { a: 'x'.repeat(65_534) }],
    ['64 KiB, each byte escaped', `a=${'%78'.repeat(21_844)}`, { a: 'x'.repeat(21_844) }],
  ])('%s', async (_what, body, fields) => {
    await expectAnswer(postBody(URLENCODED, body), accepts(fields as Record<string, string>));
  });

  test('__proto__ is an ordinary name and sets no prototype', async () => {
    const form = JSON.parse('{"__proto__":"1","a":"2"}');
    await expectAnswer(postBody(URLENCODED, '__proto__=1&a=2'), accepts(form));
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  test.each<[string, string, string]>([
    ['a field twice', 'a=1&a=2', 'a is given more than once'],
    ['the same value twice', 'a=1&a=1', 'a is given more than once'],
    ['a field twice, once without value', 'a&b=1&a=1', 'a is given more than once'],
    ['a field twice, once escaped', 'email=1&%65mail=2', 'email is given more than once'],
    ['__proto__ twice', '__proto__=1&__proto__=2', '__proto__ is given more than once'],
    [
      'a long name twice',
      `${'n'.repeat(100)}=1&${'n'.repeat(100)}=2`,
      `${'n'.repeat(64)} is given more than once`,
    ],
    ['bytes that are not UTF-8', 'a=\xe9', 'The form is not UTF-8'],
    ['a raw replacement character', utf8('a=\ufffd'), 'The form is not UTF-8'],
    ['a name that is not UTF-8', '\xff=1', 'The form is not UTF-8'],
    ['a raw surrogate', 'a=\xed\xa0\x80', 'The form is not UTF-8'],
    ['an overlong form', 'a=\xc0\x80', 'The form is not UTF-8'],
    ['gzip', '\x1f\x8b\x08\x00', 'The form is not UTF-8'],
    ['%zz', 'a=%zz', 'The form has a malformed percent-encoding'],
    ['% alone', 'a=100%', 'The form has a malformed percent-encoding'],
    ['%zz in a name', '%zz=a', 'The form has a malformed percent-encoding'],
    ['escaped bytes that are not UTF-8', 'a=%E9', 'The form has a malformed percent-encoding'],
    ['an escaped surrogate', 'a=%ED%A0%80', 'The form has a malformed percent-encoding'],
    ['an escaped overlong form', 'a=%C0%80', 'The form has a malformed percent-encoding'],
    ['%u escapes', 'a=%u00e9', 'The form has a malformed percent-encoding'],
    ['101 fields', Array.from({ length: 101 }, (_, i) => `f${i}=`).join('&'), 'The form is too large'],
    ['more than 64 KiB of text', `a=${'x'.repeat(65_536)}`, 'The form is too large'],
    [
      'more than 64 KiB over two fields',
      `a=${'x'.repeat(40_000)}&b=${'x'.repeat(40_000)}`,
      'The form is too large',
    ],
    ['a name of more than 64 KiB', 'n'.repeat(65_537), 'The form is too large'],
    ['more than 64 KiB of UTF-8', utf8(`a=${'é'.repeat(32_768)}`), 'The form is too large'],
    ['more than 64 KiB with escapes', `a=${'%78'.repeat(21_845)}`, 'The form is too large'],
  ])('%s is refused', async (_what, body, detail) => {
    await expectAnswer(postBody(URLENCODED, body), refuses(detail));
  });

  test.each([
    URLENCODED,
    `${URLENCODED}; charset=utf-8`,
    `${URLENCODED};charset=UTF-8`,
    `${URLENCODED}; charset="utf-8"`,
    'Application/X-WWW-Form-URLencoded',
  ])('%s', async (contentType) => {
    await expectAnswer(postBody(contentType, utf8('a=é')), accepts({ a: 'é' }));
  });

  test.each([
    ['iso-8859-1', 'iso-8859-1'],
    ['"utf-16"', 'utf-16'],
    ['windows-1252; x=y', 'windows-1252'],
  ])('charset=%s is refused', async (parameter, charset) => {
    await expectAnswer(
      postBody(`${URLENCODED}; charset=${parameter}`, 'a=1'),
      refuses(`The charset ${charset} is not supported`),
    );
  });
});

describe('multipart', () => {
  /** Fills a body of 64 KiB with the lines around it. */
  const LARGE = 'x'.repeat(64 * 1024 - part('a', '').length - END.length);
  const hundred = Array.from({ length: 100 }, (_, i) => `f${i}`);

  test.each<[string, string, object]>([
    [
      'two fields',
      part('email', 'ada@example.com') + part('password', 'secret') + END,
      { email: 'ada@example.com', password: 'secret' },
    ],
    ['an end without a line end', `${part('a', '1')}--b--`, { a: '1' }],
    ['no parts', END, {}],
    ['an empty body', '', {}],
    ['an empty value', part('a', '') + END, { a: '' }],
    ['values are not decoded', part('a', '%41+&=%zz') + END, { a: '%41+&=%zz' }],
    ['names are not decoded', part('e%6dail', '1') + END, { 'e%6dail': '1' }],
    ['spaces and line ends stay', part('a', ' 1\r\n\t2\n ') + END, { a: ' 1\r\n\t2\n ' }],
    [
      'text that resembles a boundary',
      part('a', 'x--b--\r\n--c\r\n -b') + END,
      { a: 'x--b--\r\n--c\r\n -b' },
    ],
    ['UTF-8', part('a', utf8('é😀')) + END, { a: 'é😀' }],
    ['a name in UTF-8', part(utf8('é'), '1') + END, { é: '1' }],
    ['NUL', part('a', 'x\0y') + END, { a: 'x\0y' }],
    ['text/plain', part('a', '1', 'Content-Type: text/plain; charset=utf-8') + END, { a: '1' }],
    ['binary', part('a', '1', 'Content-Transfer-Encoding: binary') + END, { a: '1' }],
    ['8BIT', part('a', utf8('é'), 'Content-Transfer-Encoding: 8BIT') + END, { a: 'é' }],
    ['a preamble and an epilogue', `preamble\r\n${part('a', '1')}--b--\r\nepilogue`, { a: '1' }],
    [
      '100 fields',
      hundred.map((name) => part(name, '')).join('') + END,
      Object.fromEntries(hundred.map((name) => [name, ''])),
    ],
    ['64 KiB', part('a', LARGE) + END, { a: LARGE }],
  ])('%s', async (_what, body, fields) => {
    await expectAnswer(postBody(MULTIPART, body), accepts(fields as Record<string, string>));
  });

  test('a quoted boundary', async () => {
    await expectAnswer(
      postBody('Multipart/Form-Data; boundary="b"', part('a', '1') + END),
      accepts({ a: '1' }),
    );
  });

  test.each<[string, string, string]>([
    ['a field twice', part('a', '1') + part('a', '2') + END, 'a is given more than once'],
    [
      'a field twice with others between',
      part('a', '1') + part('b', '2') + part('a', '3') + END,
      'a is given more than once',
    ],
    ['a file', part('a"; filename="a.txt', '1') + END, 'a must be a field, not a file'],
    ['a file without a name', part('a"; filename="', '1') + END, 'a must be a field, not a file'],
    [
      'a file with an encoded name',
      part('a"; filename*=utf-8\'\'a.txt; x="', '1') + END,
      'a must be a field, not a file',
    ],
    [
      'a file after a field',
      part('a', '1') + part('b"; filename="b', '2') + END,
      'b must be a field, not a file',
    ],
    ['JSON', part('a', '"1"', 'Content-Type: application/json') + END, 'a must be text, not JSON'],
    [
      'JSON in capitals, with a charset',
      part('a', '1', 'CONTENT-TYPE: Application/JSON; charset=utf-8') + END,
      'a must be text, not JSON',
    ],
    [
      'a JSON subtype',
      part('a', '{}', 'Content-Type: application/ld+json') + END,
      'a must be text, not JSON',
    ],
    ['base64', part('a', 'MQ==', 'Content-Transfer-Encoding: base64') + END, 'a has an unsupported encoding'],
    ['BASE64', part('a', 'MQ==', 'Content-Transfer-Encoding: BASE64') + END, 'a has an unsupported encoding'],
    [
      'quoted-printable',
      part('a', '=31', 'Content-Transfer-Encoding: quoted-printable') + END,
      'a has an unsupported encoding',
    ],
    ['bytes that are not UTF-8', part('a', '\xe9') + END, 'a is not UTF-8'],
    ['a raw surrogate', part('a', '\xed\xa0\x80') + END, 'a is not UTF-8'],
    [
      'Latin-1 bytes',
      part('a', '\xe9', 'Content-Type: text/plain; charset=iso-8859-1') + END,
      'a is not UTF-8',
    ],
    [
      'a part without a name',
      `--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n${END}`,
      'The form has a part without a name',
    ],
    ['more than 64 KiB', part('a', `${LARGE}x`) + END, 'The form is too large'],
    ['a part far beyond 64 KiB', part('a', LARGE.repeat(5)) + END, 'The form is too large'],
    [
      'more than 64 KiB over two fields',
      part('a', LARGE.slice(30_000)) + part('b', LARGE.slice(30_000)) + END,
      'The form is too large',
    ],
  ])('%s is refused', async (_what, body, detail) => {
    await expectAnswer(postBody(MULTIPART, body), refuses(detail));
  });

  test.each<[string, string, string]>([
    ['no boundary in the content type', 'multipart/form-data', part('a', '1') + END],
    ['an empty boundary', 'multipart/form-data; boundary=', part('a', '1') + END],
    ['another boundary', 'multipart/form-data; boundary=c', part('a', '1') + END],
    ['no final boundary', MULTIPART, part('a', '1')],
    ['cut in a value', MULTIPART, part('a', '12345').slice(0, -4)],
    ['cut in a second value', MULTIPART, part('a', '1') + part('b', '12345').slice(0, -4)],
    ['cut in a header', MULTIPART, part('a', '1').slice(0, 30)],
    ['cut in the final boundary', MULTIPART, `${part('a', '1')}--b`],
    ['not multipart at all', MULTIPART, 'a=1&b=2'],
    ['101 parts', MULTIPART, [...hundred, 'f100'].map((name) => part(name, '')).join('') + END],
  ])('%s is refused', async (_what, contentType, body) => {
    await expectAnswer(postBody(contentType, body), MALFORMED);
  });

  test('a name that is not UTF-8 is refused', async () => {
    const answer = await postBody(MULTIPART, part('\xe9', '1') + END);
    expect(answer).toStrictEqual({ status: 400, body: { detail: expect.any(String) } });
  });

  // The multipart parser refuses these. In an urlencoded form they are ordinary names.
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a field %s is refused',
    async (name) => {
      await expectAnswer(postBody(MULTIPART, part(name, '1') + part('a', '1') + END), MALFORMED);
      expect(({} as Record<string, unknown>).a).toBeUndefined();
    },
  );
});

describe('other bodies are 400', () => {
  test.each<[string, string | undefined, string]>([
    ['JSON', 'application/json', '{"a":"1"}'],
    ['JSON with a charset', 'application/json; charset=utf-8', '{"a":"1"}'],
    ['empty JSON', 'application/json', ''],
    ['text', 'text/plain', 'a=1'],
    ['XML', 'application/xml', '<a>1</a>'],
    ['bytes', 'application/octet-stream', 'a=1'],
    ['another multipart', 'multipart/mixed; boundary=b', part('a', '1') + END],
    ['almost a form', 'application/x-www-form-urlencodedx', 'a=1'],
    ['two content types', `${URLENCODED}, application/json`, 'a=1'],
    ['an invalid content type', 'form', 'a=1'],
    ['no content type', undefined, 'a=1'],
  ])('%s', async (_what, contentType, body) => {
    await expectAnswer(postBody(contentType, body), MALFORMED);
  });

  test('no body and no content type', async () => {
    await expectAnswer(postBody(undefined, ''), refuses('The body must be a form'));
    const { status, body } = await post({});
    expect({ status, body }).toEqual(refuses('The body must be a form'));
  });
});

describe('chunked bodies', () => {
  const chunks = (...texts: string[]) =>
    `${texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`;
  const chunked = async (contentType: string, ...texts: string[]) => {
    const headers = { 'content-type': contentType, 'transfer-encoding': 'chunked' };
    const { status, body } = await post(headers, Buffer.from(chunks(...texts), 'latin1'));
    return { status, body };
  };

  test('urlencoded, split within an escape', async () => {
    await expectAnswer(chunked(URLENCODED, 'a=%C', '3%A', '9&b', '=2'), accepts({ a: 'é', b: '2' }));
  });

  test('multipart, split within a boundary and a character', async () => {
    const [first, second] = utf8('é');
    await expectAnswer(
      chunked(
        MULTIPART,
        '--',
        'b\r\nContent-Disposition: form-data; name="a"\r',
        `\n\r\n${first}`,
        `${second}\r`,
        '\n--b-',
        '-\r\n',
      ),
      accepts({ a: 'é' }),
    );
  });

  test.each([
    ['preamble', (text: string) => `${text}\r\n--b\r\n`],
    ['header of a part', (text: string) => `--b\r\nx: ${text}`],
    ['epilogue', (text: string) => `--b--\r\n${text}`],
  ])('an endless %s of a multipart form is not read to its end', async (_what, wrap) => {
    const text = wrap('x'.repeat(400_000));
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'transfer-encoding': 'chunked' };
    const { status } = await post(headers, chunks(...(text.match(/[\s\S]{1,8192}/g) ?? [])));
    expect(status).toBe(400);
  });

  test('JSON', async () => {
    await expectAnswer(chunked('application/json', '{}'), MALFORMED);
  });

  test('no content type', async () => {
    reached.length = 0;
    const { status, body } = await post({ 'transfer-encoding': 'chunked' }, chunks('a=1'));
    expect({ status, body }).toEqual(MALFORMED);
    expect(reached).toEqual([]);
  });

  test.each([URLENCODED, MULTIPART])(
    'survives a client that resets the connection: %s',
    async (contentType) => {
      reached.length = 0;
      const arrived = once(app.server, 'request');
      const socket = connect(port, '127.0.0.1');
      const head = `POST /v2/echo HTTP/1.1\r\nhost: test\r\ncontent-type: ${contentType}\r\ncontent-length: 999\r\n\r\n`;
      socket.write(head + part('a', '1'));
      const [request] = await arrived;
      socket.resetAndDestroy();
      await new Promise((resolve) => request.once('close', resolve));
      expect(await postBody(URLENCODED, 'a=1')).toEqual(accepts({ a: '1' }));
      expect(reached).toEqual([{ a: '1' }]);
    },
  );

  test('a body shorter than its content-length is 400', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.end(
          `POST /v2/echo HTTP/1.1\r\nhost: test\r\ncontent-type: ${URLENCODED}\r\ncontent-length: 9\r\n\r\na=1`,
        ),
      );
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('close', () => resolve(received));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('The request is malformed');
  });
});

describe('an oversized body', () => {
  const SIZE = 10 * 1024 * 1024;
  const filler = Buffer.alloc(SIZE, 'x');

  test.each<[string, string, string]>([
    ['a form that is too large', URLENCODED, 'a='],
    ['one field that is too large', MULTIPART, part('a', '').slice(0, -2)],
    ['a file', MULTIPART, part('a"; filename="x', '').slice(0, -2)],
    ['JSON', 'application/json', '"'],
  ])('%s of 10 MB is answered, and the connection is closed', async (_what, contentType, start) => {
    const length = String(start.length + SIZE);
    const { status, headers, closed } = await post(
      { 'content-type': contentType, 'content-length': length },
      start,
      filler,
    );
    expect(status).toBe(400);
    expect(headers).toMatch(/^connection: close$/im);
    expect(closed).toBe(true);
  });

  test.each<[string, string, string]>([
    ['announced urlencoded', URLENCODED, 'a=1'],
    ['a file that has just begun', MULTIPART, part('a"; filename="x', '1')],
    ['a field that is too large already', MULTIPART, part('a', 'x'.repeat(200_000))],
    ['announced JSON', 'application/json', '{'],
  ])(
    '%s of 1 GB is answered before it is sent, and the connection is closed',
    async (_what, contentType, start) => {
      const { status, closed } = await post(
        { 'content-type': contentType, 'content-length': '1000000000' },
        start,
      );
      expect({ status, closed }).toEqual({ status: 400, closed: true });
    },
  );

  test.each<[string, string, object]>([
    [URLENCODED, `a=${'x'.repeat(SIZE)}`, refuses('The form is too large')],
    [MULTIPART, part('a', 'x'.repeat(SIZE)) + END, refuses('The form is too large')],
  ])('fetch gets its response five times in a row: %s', async (contentType, body, expected) => {
    for (let round = 0; round < 5; round += 1) {
      const init = { method: 'POST', headers: { 'content-type': contentType }, body };
      const answer = await fetch(`http://127.0.0.1:${port}/v2/echo`, init);
      expect({ status: answer.status, body: await answer.json() }).toEqual(expected);
    }
  });
});
