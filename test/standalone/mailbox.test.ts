import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { type Mailbox, startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { buildMailboxPage } from '@gatehouse/standalone/mailbox/page';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMailer } from '../../services/user/mail/mailer.ts';
import { send } from '../fixtures/http.ts';
import { listen, testConfig } from '../fixtures/services.ts';

let mailbox: Mailbox;
let page: ReturnType<typeof buildMailboxPage>;
let url: string;
beforeAll(async () => {
  mailbox = await startMailbox({ port: 0 });
  page = buildMailboxPage(mailbox);
  url = await listen(page);
});
beforeEach(() => {
  mailbox.mails.length = 0;
});
afterAll(async () => {
  await page.close();
  await mailbox.close();
});

/** Sends SMTP commands (RFC 5321), each after the reply to the previous one, and disconnects. @returns the reply codes. */
async function smtp(commands: string[], last = ''): Promise<number[]> {
  const socket = connect(mailbox.port, '127.0.0.1');
  const replies = socket.setEncoding('utf8')[Symbol.asyncIterator]();
  let buffer = '';
  const code = async (): Promise<number> => {
    // The last line of a reply has a space after its code.
    const last = /^(\d{3}) .*\r\n/m.exec(buffer);
    if (last) {
      buffer = buffer.slice(last.index + last[0].length);
      return Number(last[1]);
    }
    const { value, done } = await replies.next();
    if (done) throw new Error('the mailbox closed the connection');
    buffer += value;
    return code();
  };
  const codes = [await code()];
  for (const command of commands) {
    socket.write(`${command}\r\n`);
    codes.push(await code());
  }
  if (last) await new Promise<void>((resolve) => socket.write(last, () => resolve()));
  socket.destroy();
  return codes;
}

const mail = (raw: string, { to = ['ada@example.com'], from = 'no-reply@localhost' } = {}) =>
  smtp([
    'EHLO test',
    `MAIL FROM:<${from}>`,
    ...to.map((address) => `RCPT TO:<${address}>`),
    'DATA',
    `${raw}\r\n.`,
  ]);

const RAW = [
  'From: Gatehouse <no-reply@localhost>',
  'To: Somebody Else <else@example.com>',
  'Subject: =?utf-8?Q?Your_c=C3=B6de?=',
  'Message-ID: <one@localhost>',
  'Date: Thu, 15 Jan 2026 09:30:00 +0000',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Your code is 012345',
].join('\r\n');

async function get(path: string) {
  const { status, body } = await send(`${url}${path}`);
  return { status, body };
}
const subjects = async (query = '') =>
  (await get(`/api/v1/messages${query}`)).body.messages.map(({ Subject }: { Subject: string }) => Subject);
/** Sends one mail for each subject over one connection: the greeting of a new connection is delayed. */
const sendSubjects = (...all: string[]) =>
  smtp([
    'EHLO test',
    ...all.flatMap((subject) => [
      'MAIL FROM:<a@b.example>',
      'RCPT TO:<c@d.example>',
      'DATA',
      `${withSubject(subject)}\r\n.`,
    ]),
  ]);
const withSubject = (subject: string) => `Subject: ${subject}\r\n\r\ntext of ${subject}`;

/** The list entry in Mailpit's format. */
const listed = {
  ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
  MessageID: '<one@localhost>',
  From: { Name: 'Gatehouse', Address: 'no-reply@localhost' },
  To: [{ Name: '', Address: 'ada@example.com' }],
  Subject: 'Your cöde',
  Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  Size: expect.any(Number),
  Snippet: 'Your code is 012345',
};

describe('SMTP in', () => {
  test('keeps a mail with its envelope recipients, not those of its header', async () => {
    expect(await mail(RAW)).toEqual([220, 250, 250, 250, 354, 250]);
    expect(mailbox.mails).toMatchObject([{ recipients: ['ada@example.com'], size: RAW.length + 2 }]);
  });

  test('keeps one mail for several recipients', async () => {
    await mail(RAW, { to: ['ada@example.com', 'grace@example.com'] });
    expect(mailbox.mails.map(({ recipients }) => recipients)).toEqual([
      ['ada@example.com', 'grace@example.com'],
    ]);
  });

  test.each<[NodeJS.ProcessEnv, string, boolean]>([
    [{ NODE_ENV: 'production' }, '', false],
    [{ NODE_ENV: 'production' }, '?pool=true', false],
    [{ NODE_ENV: 'production' }, '?requireTLS=true', false],
    [{ NODE_ENV: 'production' }, '?requireTLS=false', true],
    [{ NODE_ENV: 'production' }, '?ignoreTLS=true', true],
    [{ NODE_ENV: 'development' }, '', true],
    [{ NODE_ENV: 'development' }, '?requireTLS=true', false],
  ])('has no TLS: %j, smtp://…%s', async (env, query, accepted) => {
    const url = `smtp://127.0.0.1:${mailbox.port}${query}`;
    const mailer = createMailer(
      testConfig('user', { SMTP_URL: url, JWT_SECRET: '8f14e45fceea167a5a36dedd4bea2543', ...env }),
    );
    const sent = mailer.sendOtp({ email: 'ada@example.com' }, '012345', 60).then(
      () => true,
      () => false,
    );
    expect(await sent).toBe(accepted);
    expect(mailbox.mails).toHaveLength(accepted ? 1 : 0);
    mailer.close();
  });

  test('receives a code that a service mails', async () => {
    const mailer = createMailer(testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}` }));
    await mailer.verify();
    await mailer.sendOtp({ email: 'ada@example.com' }, '012345', 60);
    mailer.close();
    const { body } = await get('/api/v1/message/latest');
    expect(body).toMatchObject({
      From: { Name: 'Gatehouse', Address: 'no-reply@localhost' },
      To: [{ Name: '', Address: 'ada@example.com' }],
      Subject: 'Your OTP Code',
    });
    expect(body.Text).toMatch(/^Your code is 012345\n/);
  });

  test('accepts an empty mail', async () => {
    expect(await mail('')).toEqual([220, 250, 250, 250, 354, 250]);
    const { status, body } = await get('/api/v1/message/latest');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      From: { Name: '', Address: '' },
      Subject: '',
      Text: '',
      HTML: '',
      Snippet: '',
    });
  });

  test('rejects a mail that declares too large a size', async () => {
    expect(await smtp(['EHLO test', 'MAIL FROM:<a@b.example> SIZE=1048577'])).toEqual([220, 250, 552]);
    expect(await smtp(['EHLO test', 'MAIL FROM:<a@b.example> SIZE=1048576'])).toEqual([220, 250, 250]);
  });

  test('rejects a mail that is too large and accepts the next one', async () => {
    const big = `Subject: big\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(1_100)}`;
    expect(await mail(big)).toEqual([220, 250, 250, 250, 354, 552]);
    expect(mailbox.mails).toEqual([]);
    await mail(RAW);
    expect(mailbox.mails).toHaveLength(1);
  });

  test('keeps nothing of a mail whose client disconnects, and accepts the next one', async () => {
    const commands = ['EHLO test', 'MAIL FROM:<a@b.example>', 'RCPT TO:<ada@example.com>', 'DATA'];
    expect(await smtp(commands, 'Subject: half\r\n\r\nhal')).toEqual([220, 250, 250, 250, 354]);
    await mail(RAW);
    expect(mailbox.mails).toHaveLength(1);
  });

  test('drops the oldest of more than a thousand mails', async () => {
    await sendSubjects(...Array.from({ length: 1_002 }, (_, index) => String(index + 1)));
    expect(await get('/api/v1/messages?limit=1')).toMatchObject({ body: { total: 1_000, count: 1 } });
    const kept = await subjects('?limit=1000');
    expect([kept[0], kept.at(-1)]).toEqual(['1002', '3']);
  });
});

describe('JSON out', () => {
  test('lists an empty mailbox', async () => {
    expect(await get('/api/v1/messages')).toEqual({
      status: 200,
      body: { total: 0, count: 0, start: 0, messages: [] },
    });
    expect(await get('/api/v1/message/latest')).toEqual({
      status: 404,
      body: { error: 'message not found' },
    });
  });

  test('lists one mail', async () => {
    await mail(RAW);
    expect(await get('/api/v1/messages')).toEqual({
      status: 200,
      body: { total: 1, count: 1, start: 0, messages: [listed] },
    });
  });

  test('returns a mail by its id', async () => {
    await mail(RAW);
    const [{ ID }] = (await get('/api/v1/messages')).body.messages;
    expect(await get(`/api/v1/message/${ID}`)).toEqual({
      status: 200,
      body: { ...listed, ID, Date: '2026-01-15T09:30:00.000Z', Text: 'Your code is 012345\n', HTML: '' },
    });
  });

  test.each(['nothing', '..%2fmessages', '00000000-0000-0000-0000-000000000000', 'constructor'])(
    'returns 404 for the unknown id %s',
    async (id) => {
      await mail(RAW);
      expect(await get(`/api/v1/message/${id}`)).toEqual({
        status: 404,
        body: { error: 'message not found' },
      });
    },
  );

  test('lists the newest first and returns it as the latest', async () => {
    await sendSubjects('one', 'two', 'three');
    expect(await subjects()).toEqual(['three', 'two', 'one']);
    expect((await get('/api/v1/message/latest')).body.Subject).toBe('three');
  });

  test.each<[string, string[], number]>([
    ['?limit=2', ['3', '2'], 0],
    ['?start=1&limit=1', ['2'], 1],
    ['?start=2', ['1'], 2],
    ['?start=9', [], 9],
    ['?limit=0', ['3', '2', '1'], 0],
    ['?start=-1&limit=x', ['3', '2', '1'], 0],
  ])('pages with %s', async (query, expected, start) => {
    await sendSubjects('1', '2', '3');
    const { body } = await get(`/api/v1/messages${query}`);
    expect(body).toMatchObject({ total: 3, count: expected.length, start });
    expect(await subjects(query)).toEqual(expected);
  });

  test('deletes all mails', async () => {
    await mail(RAW);
    expect(await send(`${url}/api/v1/messages`, { method: 'DELETE' })).toMatchObject({
      status: 200,
      body: 'ok',
    });
    expect((await get('/api/v1/messages')).body.total).toBe(0);
  });
});

describe('a hostile mail', () => {
  const HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

  test('is JSON that a browser does not sniff as HTML', async () => {
    await mail(
      `From: ${HOSTILE} <a@b.example>\r\nSubject: ${HOSTILE}\r\nContent-Type: text/html\r\n\r\n${HOSTILE}`,
    );
    const { headers, body } = await send(`${url}/api/v1/message/latest`);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(body.Subject).toBe(HOSTILE);
    expect(body.HTML).toContain('<script>');
  });

  test('meets a page that runs only its own script and loads nothing', async () => {
    const { headers, body: html } = await send(`${url}/`);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const hash = (tag: string) => {
      const [, text = '', ...more] = html.split(new RegExp(`</?${tag}>`));
      expect(more).toHaveLength(1);
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    };
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hash('script')}`,
      `style-src ${hash('style')}`,
      'img-src data:',
      "connect-src 'self'",
      "frame-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(html).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|eval\(/,
    );
    expect(html).not.toMatch(/\ssrc=|https?:|\son[a-z]+=|\sstyle=/i);
  });
});

test.each(['evil.example', 'localhost.evil.example', '192.0.2.1:8025'])(
  'refuses the Host %s, which prevents DNS rebinding',
  async (host) => {
    const { port } = new URL(url);
    const response = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`GET /api/v1/messages HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      );
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(response).toMatch(/^HTTP\/1\.1 403 /);
  },
);
