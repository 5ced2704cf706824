import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildUserService } from '../../../services/user/app.ts';
import { COLLECTIONS, type Database } from '../../../services/user/database.ts';
import { createMailer, type Mailer } from '../../../services/user/mail/mailer.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { postForm } from '../../fixtures/http.ts';
import { freePorts } from '../../fixtures/launcher.ts';
import { listen, testConfig } from '../../fixtures/services.ts';
import { fromNetwork } from './codes.ts';

const EHLO = '250-test\r\n250-PIPELINING\r\n250 8BITMIME';

/** How the mail server behaves. */
type Behavior =
  | 'works'
  | 'refuses the connection'
  | 'closes before the greeting'
  | 'answers 421 instead of a greeting'
  | 'hangs before the greeting'
  | 'trickles its greeting'
  | 'greets with nonsense'
  | 'hangs after EHLO'
  | 'refuses the recipient'
  | 'hangs after the recipient'
  | 'refuses the mail'
  | 'hangs before the mail'
  | 'hangs after the mail'
  | 'trickles its answer to the mail'
  | 'dies in the middle of the mail';

/** A handwritten SMTP server (RFC 5321). Its behavior can change while connections are open. */
async function startSmtp(behavior: Behavior) {
  const [port] = (await freePorts(1)) as [number];
  const accepted: { to: string; text: string }[] = [];
  const sockets = new Set<Socket>();
  /** `stalled` counts the replies that were withheld or trickled. */
  const smtp = { port, behavior, accepted, sockets, stalled: 0, listen, recover, stop };
  let server: Server | undefined;

  function serve(socket: Socket) {
    sockets.add(socket);
    let trickling: NodeJS.Timeout | undefined;
    const trickle = () => {
      smtp.stalled += 1;
      trickling = setInterval(() => socket.write('2'), 20);
    };
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(trickling);
      sockets.delete(socket);
    });
    let to = '';
    let mail: string | undefined;
    let rest = '';
    const reply = (line: string) => socket.write(`${line}\r\n`);
    const replyUnless = (hang: Behavior, line: string) => {
      if (smtp.behavior === hang) smtp.stalled += 1;
      else reply(line);
    };

    function obey(line: string) {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO') {
        replyUnless('hangs after EHLO', EHLO);
      } else if (verb === 'RCPT') {
        const refused = smtp.behavior === 'refuses the recipient';
        to = refused ? '' : (/<(.*)>/.exec(line)?.[1] ?? '');
        if (refused) reply('550 5.1.1 No such mailbox');
        else replyUnless('hangs after the recipient', '250 OK');
      } else if (verb === 'DATA') {
        if (to === '') {
          reply('554 5.5.1 No valid recipients');
          return;
        }
        if (smtp.behavior !== 'hangs before the mail') mail = '';
        replyUnless('hangs before the mail', '354 Go ahead');
      } else if (verb === 'QUIT') {
        socket.end('221 Bye\r\n');
      } else {
        reply('250 OK');
      }
    }
    function takeMail(line: string) {
      if (smtp.behavior === 'dies in the middle of the mail') {
        socket.resetAndDestroy();
        return;
      }
      if (line !== '.') {
        mail += `${line}\n`;
        return;
      }
      const text = mail ?? '';
      mail = undefined;
      if (smtp.behavior === 'trickles its answer to the mail') trickle();
      else if (smtp.behavior === 'refuses the mail') reply('554 5.7.1 This looks like spam');
      else {
        if (smtp.behavior !== 'hangs after the mail') accepted.push({ to, text });
        replyUnless('hangs after the mail', '250 Queued');
      }
    }
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) (mail === undefined ? obey : takeMail)(line);
    });

    if (smtp.behavior === 'closes before the greeting') socket.end();
    else if (smtp.behavior === 'answers 421 instead of a greeting') socket.end('421 4.3.2 Closing\r\n');
    else if (smtp.behavior === 'trickles its greeting') trickle();
    else if (smtp.behavior === 'greets with nonsense') socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    else replyUnless('hangs before the greeting', '220 test ESMTP');
  }

  async function listen() {
    server = createServer({ noDelay: true }, serve).listen(port, '127.0.0.1');
    await new Promise((resolve) => server?.once('listening', resolve));
  }
  /** Works from now on, and sends stalled connections the reply that they are waiting for. */
  async function recover() {
    const before = smtp.behavior;
    smtp.behavior = 'works';
    if (!server) await listen();
    for (const socket of sockets) {
      if (before === 'hangs before the greeting') socket.write('220 test ESMTP\r\n');
      else if (before === 'hangs after EHLO') socket.write(`${EHLO}\r\n`);
      else if (before === 'hangs before the mail') socket.write('354 Go ahead\r\n');
      else if (before === 'hangs after the recipient') socket.write('250 OK\r\n');
    }
  }
  async function stop() {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  if (behavior !== 'refuses the connection') await listen();
  return smtp;
}

/** Answered by the mail server in one way or another; nothing has to be abandoned. */
const failing: Behavior[] = [
  'refuses the connection',
  'closes before the greeting',
  'answers 421 instead of a greeting',
  'greets with nonsense',
  'refuses the recipient',
  'refuses the mail',
  'dies in the middle of the mail',
];
/** Only the deadline ends these. */
const stalling: Behavior[] = [
  'hangs before the greeting',
  'trickles its greeting',
  'hangs after EHLO',
  'hangs after the recipient',
  'hangs before the mail',
  'hangs after the mail',
  'trickles its answer to the mail',
];
/** The mailer's pool. */
const MAX_CONNECTIONS = 10;

let db: Database;
let drop: () => Promise<void>;
let app: Awaited<ReturnType<typeof buildUserService>>;
let url: string;
/** The mailer that the service uses now. */
let current: Mailer;
const clock = testClock();
const logged: string[] = [];
const mailers: Mailer[] = [];
const servers: Awaited<ReturnType<typeof startSmtp>>[] = [];

beforeAll(async () => {
  ({ db, drop } = await freshDatabase(COLLECTIONS));
  const mailer: Mailer = {
    sendOtp: (...mail) => current.sendOtp(...mail),
    sendAddressCode: (...mail) => current.sendAddressCode(...mail),
    sendAddressTaken: (...mail) => current.sendAddressTaken(...mail),
    sendLoginCode: (...mail) => current.sendLoginCode(...mail),
    sendInvitation: (...mail) => current.sendInvitation(...mail),
    sendOffer: (...mail) => current.sendOffer(...mail),
    sendDeprovisioned: (...mail) => current.sendDeprovisioned(...mail),
    sendCertificateExpires: (...mail) => current.sendCertificateExpires(...mail),
    sendWebhookDisabled: (...mail) => current.sendWebhookDisabled(...mail),
    sendPaymentFailed: (...mail) => current.sendPaymentFailed(...mail),
    sendNotice: (...mail) => current.sendNotice(...mail),
    verify: () => current.verify(),
    close: () => current.close(),
  };
  const config = testConfig('user', {
    LOG_LEVEL: 'error',
    PASSWORD_STORAGE: 'plain',
    TRUST_PROXY: 'loopback',
  });
  const logStream = { write: (line: string) => void logged.push(line) };
  app = await buildUserService({ config, db, mailer, now: clock.now, logStream });
  url = await listen(app);
});
afterAll(async () => {
  await app.close();
  for (const mailer of mailers) mailer.close();
  for (const smtp of servers) await smtp.stop();
  await drop();
});

/** Gives the service a mail server of this behavior. Its deadline passes when the test says so. */
async function useMailServer(behavior: Behavior) {
  const smtp = await startSmtp(behavior);
  const deadlines: AbortController[] = [];
  const deadline = () => {
    const controller = new AbortController();
    deadlines.push(controller);
    return controller.signal;
  };
  current = createMailer(testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` }), { deadline });
  mailers.push(current);
  servers.push(smtp);
  logged.length = 0;
  return { smtp, deadlines };
}

const post = (operation: string, fields: Record<string, string>, headers = {}) =>
  postForm(`${url}/v2/${operation}`, fields, headers);
const signUp = (email: string, headers = {}) =>
  post('signup', { email, password: 'secret', name: 'Ada' }, headers);
const unavailable = { status: 503, body: { detail: 'The code could not be mailed, please try again' } };

describe.each([...failing, ...stalling])('a mail server that %s', (behavior) => {
  const stalls = stalling.includes(behavior);
  // More users than connections where the mail server holds on to them.
  const emails = Array.from(
    { length: stalls ? MAX_CONNECTIONS + 2 : 3 },
    (_, index) => `${behavior.replaceAll(' ', '-')}.${index}@example.com`,
  );
  const [EMAIL = ''] = emails;
  let smtp: Awaited<ReturnType<typeof startSmtp>>;
  let deadlines: AbortController[];
  beforeAll(async () => {
    ({ smtp, deadlines } = await useMailServer(behavior));
  });

  test('returns 503 without a token, stores the code and does not log it', async () => {
    const attempts = Promise.all(emails.map((email, index) => signUp(email, fromNetwork(index))));
    if (stalls) {
      await eventually(() => deadlines.length === emails.length && smtp.stalled === MAX_CONNECTIONS);
      for (const each of deadlines) each.abort();
    }
    for (const answer of await attempts) {
      expect(outcome(answer)).toStrictEqual(unavailable);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect(smtp.accepted).toEqual([]);

    const users = await db.users.find({ email: { $in: emails } }).toArray();
    expect(users).toHaveLength(emails.length);
    expect(users.find(({ email }) => email === EMAIL)).toMatchObject({
      verified: false,
      otp: expect.stringMatching(/^\d{6}$/),
      otp_mails: [{ at: clock.seconds(), network: '203.0.113.0' }],
    });
    expect(logged).toHaveLength(emails.length);
    for (const line of logged) {
      const { time: _, reqId: __, ...entry } = JSON.parse(line);
      for (const { otp } of users) expect(JSON.stringify(entry)).not.toContain(otp);
    }
  });

  test('delivers the next mails once it recovers, and none that was abandoned', async () => {
    const abandoned = [...smtp.sockets];
    await smtp.recover();
    expect((await post('forgot-password', { email: EMAIL })).status).toBe(200);
    expect(outcome(await signUp(EMAIL))).toStrictEqual({ status: 200, body: { token: expect.any(String) } });
    if (stalls) await eventually(() => abandoned.every(({ closed }) => closed));
    expect(smtp.accepted.map(({ to }) => to)).toEqual([EMAIL, EMAIL]);
    const otp = (await db.users.findOne({ email: EMAIL }))?.otp as string;
    expect(smtp.accepted[1]?.text).toContain(`Your code is ${otp}`);
    expect((await post('verify-otp', { email: EMAIL, otp })).status).toBe(200);
  });

  // The mail may have been delivered even though its acceptance was never received.
  test('does not invalidate a code whose mail failed', async () => {
    const [, email = ''] = emails;
    const otp = (await db.users.findOne({ email }))?.otp as string;
    expect((await post('verify-otp', { email, otp })).status).toBe(200);
  });
});

test('counts refused mails too: ten an hour, then 429', async () => {
  const email = 'refused@example.com';
  const { smtp } = await useMailServer('refuses the recipient');
  const forgot = (network = 3) => post('forgot-password', { email }, fromNetwork(network));
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const network = attempt < 5 ? 1 : 2;
    const answer = attempt % 2 ? forgot(network) : signUp(email, fromNetwork(network));
    expect(outcome(await answer)).toStrictEqual(unavailable);
    clock.advance(1);
  }
  await smtp.recover();
  for (const refused of [await signUp(email, fromNetwork(3)), await forgot()]) {
    expect(outcome(refused)).toStrictEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(refused.headers.get('retry-after')).toBe('3590');
  }
  expect(smtp.accepted).toEqual([]);
  clock.advance(3590);
  expect((await forgot()).status).toBe(200);
});

test('shares the connections: a network whose mails hang does not hold up those of others', async () => {
  const { smtp, deadlines } = await useMailServer('hangs after the recipient');
  const flood = Array.from({ length: 12 }, (_, index) =>
    signUp(`flood${index}@example.com`, fromNetwork(100)),
  );
  await eventually(() => expect([deadlines.length, smtp.stalled]).toEqual([12, 5]));
  smtp.behavior = 'works';
  for (let person = 0; person < 3; person += 1)
    expect((await signUp(`honest${person}@example.com`, fromNetwork(101))).status).toBe(200);
  expect(smtp.accepted.map(({ to }) => to)).toEqual([0, 1, 2].map((person) => `honest${person}@example.com`));
  // Mails that wait for their turn have the same deadline.
  for (const deadline of deadlines) deadline.abort();
  for (const answer of await Promise.all(flood)) expect(outcome(answer)).toStrictEqual(unavailable);
  expect(smtp.accepted).toHaveLength(3);
});

test('survives idle connections that the mail server has closed', async () => {
  const { smtp } = await useMailServer('works');
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => signUp(`idle${round}-${index}@example.com`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const socket of smtp.sockets) socket.end();
  }
  expect(smtp.accepted).toHaveLength(24);
});

test('never contacts the mail server for an address that contains SMTP', async () => {
  const { smtp } = await useMailServer('works');
  for (const email of [
    'a@example.com, b@example.com',
    'a@example.com> NOTIFY=NEVER',
    'a@example.com\r\nRCPT TO:<b@example.com>',
  ])
    expect((await signUp(email)).status).toBe(400);
  expect(smtp.sockets.size).toBe(0);
});

test('gives a mail ten seconds', async () => {
  const { smtp } = await useMailServer('works');
  current = createMailer(testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` }));
  mailers.push(current);
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  expect((await signUp('ada@example.com')).status).toBe(200);
  expect(timeout).toHaveBeenCalledWith(10_000);
  timeout.mockRestore();
});

test('has delivered no abandoned mail by the end', () => {
  const cases = servers.slice(0, failing.length + stalling.length);
  expect(cases.map(({ accepted }) => accepted.length)).toEqual(cases.map(() => 2));
});
