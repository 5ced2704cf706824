import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, postForm } from '../../fixtures/http.ts';
import { freePorts } from '../../fixtures/launcher.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

const EHLO = '250-test\r\n250-PIPELINING\r\n250 8BITMIME\r\n';

/** What the mail server does wrong, and `well` for nothing. */
type Manner =
  | 'well'
  | 'refuses the connection'
  | 'closes before the greeting'
  | 'answers 421 for a greeting'
  | 'hangs before the greeting'
  | 'greets in dribbles'
  | 'greets with nonsense'
  | 'hangs after EHLO'
  | 'refuses the recipient'
  | 'hangs at the recipient'
  | 'refuses the mail'
  | 'hangs before the mail'
  | 'hangs after the mail'
  | 'answers the mail in dribbles'
  | 'dies in the middle of the mail';

/** An SMTP server, by hand (RFC 5321), whose manner can be changed while connections are open. */
async function startSmtp(manner: Manner) {
  const [port] = (await freePorts(1)) as [number];
  const accepted: { to: string; text: string }[] = [];
  const sockets = new Set<Socket>();
  const smtp = { port, manner, accepted, sockets, listen, recover, stop };
  let server: Server | undefined;

  function serve(socket: Socket) {
    sockets.add(socket);
    const dribbling = setInterval(() => {
      if (dribbles) socket.write('2');
    }, 200);
    let dribbles = false;
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(dribbling);
      sockets.delete(socket);
    });
    let to = '';
    let mail: string | undefined;
    let rest = '';
    const reply = (line: string) => socket.write(`${line}\r\n`);

    function obey(line: string) {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO') {
        if (smtp.manner !== 'hangs after EHLO') socket.write(EHLO);
      } else if (verb === 'RCPT') {
        const refused = smtp.manner === 'refuses the recipient';
        to = refused ? '' : (/<(.*)>/.exec(line)?.[1] ?? '');
        if (refused) reply('550 5.1.1 No such mailbox');
        else if (smtp.manner !== 'hangs at the recipient') reply('250 OK');
      } else if (verb === 'DATA') {
        if (smtp.manner === 'hangs before the mail') return;
        if (to === '') {
          reply('554 5.5.1 No valid recipients');
          return;
        }
        reply('354 Go ahead');
        mail = '';
      } else if (verb === 'QUIT') {
        socket.end('221 Bye\r\n');
      } else {
        reply('250 OK');
      }
    }
    function takeMail(line: string) {
      if (smtp.manner === 'dies in the middle of the mail') {
        socket.resetAndDestroy();
        return;
      }
      if (line !== '.') {
        mail += `${line}\n`;
        return;
      }
      const text = mail ?? '';
      mail = undefined;
      if (smtp.manner === 'hangs after the mail') return;
      if (smtp.manner === 'answers the mail in dribbles') dribbles = true;
      else if (smtp.manner === 'refuses the mail') reply('554 5.7.1 This looks like spam');
      else {
        accepted.push({ to, text });
        reply('250 Queued');
      }
    }
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) (mail === undefined ? obey : takeMail)(line);
    });

    if (smtp.manner === 'closes before the greeting') socket.end();
    else if (smtp.manner === 'answers 421 for a greeting') socket.end('421 4.3.2 Closing\r\n');
    else if (smtp.manner === 'greets in dribbles') dribbles = true;
    else if (smtp.manner === 'greets with nonsense') socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    else if (smtp.manner !== 'hangs before the greeting') reply('220 test ESMTP');
  }

  async function listen() {
    server = createServer(serve).listen(port, '127.0.0.1');
    await new Promise((resolve) => server?.once('listening', resolve));
  }
  /** Behaves from now on, and gives the connections that it kept waiting what they wait for. */
  async function recover() {
    const before = smtp.manner;
    smtp.manner = 'well';
    if (!server) await listen();
    for (const socket of sockets) {
      if (before === 'hangs before the greeting') socket.write('220 test ESMTP\r\n');
      else if (before === 'hangs after EHLO') socket.write(EHLO);
      else if (before === 'hangs before the mail') socket.write('354 Go ahead\r\n');
      else if (before === 'hangs at the recipient') socket.write('250 OK\r\n');
    }
  }
  async function stop() {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  if (manner !== 'refuses the connection') await listen();
  return smtp;
}

const unavailable = { status: 503, body: { detail: 'The code could not be mailed, please try again' } };
const outcome = ({ status, body }: Answered) => ({ status, body });
const signUp = (services: Services, email: string) =>
  postForm(`${services.user}/v2/signup`, { email, password: 'secret', name: 'Ada' });
const EMAIL = 'ada@example.com';

/** A user service and its bad mail server, with the first answers of each already asked for. */
interface Case {
  smtp: Awaited<ReturnType<typeof startSmtp>>;
  services: Services;
  first: Promise<{ answers: Answered[]; ms: number }>;
}

const quick: Manner[] = [
  'refuses the connection',
  'closes before the greeting',
  'answers 421 for a greeting',
  'greets with nonsense',
  'refuses the recipient',
  'refuses the mail',
  'dies in the middle of the mail',
];
const slow: Manner[] = [
  'hangs before the greeting',
  'greets in dribbles',
  'hangs after EHLO',
  'hangs at the recipient',
  'hangs before the mail',
  'hangs after the mail',
  'answers the mail in dribbles',
];
/** More than the pool has connections, where the manner holds them. */
const peopleAt = (manner: Manner) => (slow.includes(manner) ? 12 : 3);

const cases = new Map<Manner, Case>();
// Ten seconds pass in each of the slow cases, so all of them pass them together.
beforeAll(async () => {
  const started = await Promise.all(
    [...quick, ...slow].map(async (manner) => {
      const smtp = await startSmtp(manner);
      const services = await startServices({
        env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, LOG_LEVEL: 'error', PASSWORD_STORAGE: 'plain' },
      });
      return { manner, smtp, services };
    }),
  );
  for (const { manner, smtp, services } of started)
    cases.set(manner, { smtp, services, first: attempts(services, peopleAt(manner)) });
});
async function attempts(services: Services, people: number) {
  const began = performance.now();
  const emails = Array.from({ length: people }, (_, index) => (index ? `person${index}@example.com` : EMAIL));
  const answers = await Promise.all(emails.map((email) => signUp(services, email)));
  return { answers, ms: performance.now() - began };
}
afterAll(async () => {
  for (const { services, smtp } of cases.values()) {
    await services.stop();
    await smtp.stop();
  }
});

describe.each([...quick, ...slow])('a mail server that %s', (manner) => {
  const at = () => cases.get(manner) as Case;

  test('is a 503 within ten seconds, with the code stored and no token', async () => {
    const { services, first } = at();
    const { answers, ms } = await first;
    expect(answers.map(outcome)).toEqual(Array(peopleAt(manner)).fill(unavailable));
    // Two seconds for what else runs on this machine.
    expect(ms).toBeLessThan(quick.includes(manner) ? 9_000 : 12_000);
    for (const { headers } of answers) expect(headers.get('set-cookie')).toBeNull();
    expect(at().smtp.accepted).toEqual([]);
    expect(await services.db.users.countDocuments()).toBe(peopleAt(manner));
    expect(await services.db.users.findOne({ email: EMAIL })).toMatchObject({
      verified: false,
      otp: expect.stringMatching(/^\d{6}$/),
      otp_mail_times: [services.clock.seconds()],
    });
  });

  test('is logged without the code', async () => {
    const { services } = at();
    expect(services.logged).toHaveLength(peopleAt(manner));
    const codes = (await services.db.users.find().toArray()).map(({ otp }) => otp as string);
    for (const line of services.logged) {
      const { time: _, reqId: __, ...said } = JSON.parse(line);
      for (const code of codes) expect(JSON.stringify(said)).not.toContain(code);
    }
  });

  test('and recovers: the next attempt works, and nothing that was given up is delivered', async () => {
    const { smtp, services } = at();
    await smtp.recover();
    const began = performance.now();
    const again = await signUp(services, EMAIL);
    expect(outcome(again)).toEqual({ status: 200, body: { token: expect.any(String) } });
    const forgot = await postForm(`${services.user}/v2/forgot-password`, { email: EMAIL });
    expect(forgot.status).toBe(200);
    // A pool that is still clogged would keep it waiting.
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(smtp.accepted.map(({ to }) => to)).toEqual([EMAIL, EMAIL]);
    const otp = (await services.db.users.findOne({ email: EMAIL }))?.otp as string;
    expect(smtp.accepted[1]?.text).toContain(`Your code is ${otp}`);
    expect((await postForm(`${services.user}/v2/verify-otp`, { email: EMAIL, otp })).status).toBe(200);
  });
});

test('a code whose mail got lost after it was accepted still verifies', async () => {
  const { services } = cases.get('hangs after the mail') as Case;
  const email = 'person1@example.com';
  const otp = (await services.db.users.findOne({ email }))?.otp as string;
  expect((await postForm(`${services.user}/v2/verify-otp`, { email, otp })).status).toBe(200);
});

test('mails that the server refuses count: ten an hour, then 429', async () => {
  const smtp = await startSmtp('refuses the recipient');
  const services = await startServices({
    env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PASSWORD_STORAGE: 'plain' },
  });
  const forgot = () => postForm(`${services.user}/v2/forgot-password`, { email: EMAIL });
  for (let attempt = 0; attempt < 10; attempt += 1) {
    expect(outcome(await (attempt % 2 ? forgot() : signUp(services, EMAIL)))).toEqual(unavailable);
    services.clock.advance(1);
  }
  await smtp.recover();
  for (const refused of [await signUp(services, EMAIL), await forgot()]) {
    expect(outcome(refused)).toEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(refused.headers.get('retry-after')).toBe('3590');
  }
  expect(smtp.accepted).toEqual([]);
  services.clock.advance(3590);
  expect((await forgot()).status).toBe(200);
  await services.stop();
  await smtp.stop();
});

test('idle connections that the mail server has closed are no failure', async () => {
  const smtp = await startSmtp('well');
  const services = await startServices({
    env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PASSWORD_STORAGE: 'plain' },
  });
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => signUp(services, `person${round}-${index}@example.com`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const socket of smtp.sockets) socket.end();
  }
  expect(smtp.accepted).toHaveLength(24);
  await services.stop();
  await smtp.stop();
});

test('an address that would speak SMTP never reaches the mail server', async () => {
  const smtp = await startSmtp('well');
  const services = await startServices({ env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } });
  for (const email of [
    'a@example.com, b@example.com',
    'a@example.com> NOTIFY=NEVER',
    'a@example.com\r\nRCPT TO:<b@example.com>',
  ])
    expect((await signUp(services, email)).status).toBe(400);
  expect(smtp.sockets.size).toBe(0);
  await services.stop();
  await smtp.stop();
});

test('in the end, too, nothing that was given up has been delivered', () => {
  for (const [manner, { smtp }] of cases)
    expect({ manner, to: smtp.accepted.map(({ to }) => to) }).toEqual({ manner, to: [EMAIL, EMAIL] });
});
