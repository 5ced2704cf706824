import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { decodeToken, postForm } from '../../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';
import { activeAccount, fromNetwork, unverifiedAccount } from './codes.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { PASSWORD_STORAGE: 'plain', TRUST_PROXY: 'loopback' } });
});
afterAll(() => services.stop());

const post = (operation: string, fields: Record<string, string>, headers = {}) =>
  postForm(`${services.user}/v2/${operation}`, fields, headers);
const forgot = (email: string, network?: number) =>
  post('forgot-password', { email }, network ? fromNetwork(network) : {});
const record = (email: string) => services.db.users.findOne({ email });
const mailsTo = (email: string) =>
  services.mailbox.mails.filter(({ recipients }) => recipients.includes(email));

const unverified = () => unverifiedAccount(services);
const active = () => activeAccount(services);

describe('POST /v2/forgot-password', () => {
  test('1. returns 404 for an unknown e-mail and mails nothing', async () => {
    const mails = services.mailbox.mails.length;
    for (const email of ['nobody@example.com', 'not an address', 'a@example.com\r\nBcc: b@example.com'])
      expect(outcome(await forgot(email))).toStrictEqual({ status: 404, body: { detail: 'User not found' } });
    expect(services.mailbox.mails).toHaveLength(mails);
    expect(await record('nobody@example.com')).toBeNull();
  });

  test.each([{}, { email: '' }, { email: ' \t ' }])('requires the e-mail: %j', async (form) => {
    expect(outcome(await post('forgot-password', form as Record<string, string>))).toStrictEqual({
      status: 400,
      body: { detail: 'email is required' },
    });
  });

  test.each([
    ['an unverified', unverified],
    ['an active', active],
  ])('3. stores and mails a new code for %s account and changes nothing else', async (_state, store) => {
    const { email } = await store();
    const before = await record(email);
    services.clock.advance(5);
    const { status, body, headers } = await forgot(email);
    expect({ status, body }).toEqual({ status: 200, body: { token: expect.any(String) } });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await record(email)).toStrictEqual({
      ...before,
      otp: mailedCode(services.mailbox, email),
      otp_expiration: services.clock.seconds() + 60,
      otp_attempt: decodeToken(body.token).header.attempt,
      otp_wrong_guesses: 0,
      otp_holder_guesses: 0,
      otp_mails: [services.clock.seconds() - 5, services.clock.seconds()].map((at) => ({
        at,
        network: '127.0.0.1',
      })),
      otp_unused: [
        {
          at: services.clock.seconds(),
          network: '127.0.0.1',
          attempt: decodeToken(body.token).header.attempt,
        },
      ],
    });
    expect(mailsTo(email)).toHaveLength(1);
    expect(mailsTo(email)[0]?.content).toMatchObject({
      subject: 'Your OTP Code',
      text: expect.stringContaining('It is valid for 60 seconds.'),
    });
  });

  test('3. returns a token with otp_sent, valid for 30 minutes', async () => {
    const { email } = await unverified();
    const { body } = await forgot(email.toUpperCase());
    const { header, payload } = decodeToken(body.token);
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT', attempt: (await record(email))?.otp_attempt });
    expect(payload).toEqual({ email, otp_sent: true, exp: services.clock.seconds() + 30 * 60 });
  });

  test('mails to the stored address, however the e-mail is spelled', async () => {
    const { email } = await active();
    const mails = services.mailbox.mails.length;
    expect((await forgot(` ${email.toLowerCase()} `)).status).toBe(200);
    expect(services.mailbox.mails).toHaveLength(mails + 1);
    expect(services.mailbox.mails[0]?.recipients).toEqual([email]);
  });

  test('replaces the old code', async () => {
    const { email, code } = await unverified();
    await forgot(email);
    const next = mailedCode(services.mailbox, email);
    if (next !== code) expect((await post('verify-otp', { email, otp: code })).status).toBe(400);
    expect((await post('verify-otp', { email, otp: next })).status).toBe(200);
  });

  describe('with the token of a signup', () => {
    const signup = async (email: string, password: string) =>
      (await post('signup', { email, password, name: 'Ada' })).body.token as string;
    const textOf = (email: string) => mailsTo(email)[0]?.content.text;

    test('counts each code of that signup as unused until it is used', async () => {
      const email = 'unused@example.com';
      const token = await signup(email, 'correct horse');
      services.clock.advance(1);
      await post('forgot-password', { email, token });
      const unused = async () =>
        (await record(email))?.otp_unused?.map(({ at }) => at - services.clock.seconds());
      expect(await unused()).toEqual([-1, 0]);
      const otp = mailedCode(services.mailbox, email);
      expect((await post('verify-otp', { email, otp, token })).status).toBe(200);
      expect(await unused()).toEqual([-1]);
    });

    test('mails another code of that signup without a warning', async () => {
      const email = 'again@example.com';
      const token = await signup(email, 'correct horse');
      const { status, body } = await post('forgot-password', { email, token });
      expect(status).toBe(200);
      expect(decodeToken(body.token).header.attempt).toBe(decodeToken(token).header.attempt);
      expect(textOf(email)).toContain('If you did not ask for it, ignore this mail.');
      const otp = mailedCode(services.mailbox, email);
      expect((await post('verify-otp', { email, otp, token })).status).toBe(200);
      expect(await record(email)).toMatchObject({ verified: true, password: 'correct horse' });
    });

    test('activates that signup, whoever signed the address up meanwhile, and mails the warning', async () => {
      const email = 'victim@example.com';
      const token = await signup(email, 'correct horse');
      await signup(email, 'of a stranger');
      await post('forgot-password', { email, token });
      expect(textOf(email)).toContain('This address has signed up more than once');
      const otp = mailedCode(services.mailbox, email);
      // Without the token nobody can tell whose signup is meant.
      expect((await post('verify-otp', { email, otp })).status).toBe(400);
      expect((await post('verify-otp', { email, otp, token })).status).toBe(200);
      expect(await record(email)).toMatchObject({ verified: true, password: 'correct horse' });
    });

    test.each([
      ['of another address', () => signup('other@example.com', 'secret')],
      ['that nobody signed', async () => 'garbage'],
    ])('%s is like none', async (_, tokenOf) => {
      const { email } = await unverified();
      const { status } = await post('forgot-password', { email, token: await tokenOf() });
      expect(status).toBe(200);
      expect(textOf(email)).toContain('The account of this address is not verified yet.');
    });
  });

  test('2. shares ten mails an hour with signup', async () => {
    const email = 'ada@example.com';
    await post('signup', { email, password: 'secret', name: 'Ada' });
    for (let mail = 1; mail < 10; mail += 1) {
      services.clock.advance(10);
      expect((await forgot(email, mail < 5 ? 1 : 2)).status).toBe(200);
    }
    const before = await record(email);
    const refused = await forgot(email.toUpperCase(), 3);
    expect(outcome(refused)).toStrictEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(refused.headers.get('retry-after')).toBe('3510');
    expect(await record(email)).toEqual(before);
    expect(mailsTo(email)).toHaveLength(10);
    services.clock.advance(3510);
    expect((await forgot(email, 3)).status).toBe(200);
  });

  test('2. mails what is left of the ten for fifteen parallel calls', async () => {
    const { email } = await unverified();
    const answers = await Promise.all(Array.from({ length: 15 }, (_, call) => forgot(email, 1 + (call % 5))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(outcome(answer)).toStrictEqual({ status: 429, body: { detail: 'Too many requests' } });
      expect(answer.headers.get('retry-after')).toBe('3600');
    }
    expect(mailsTo(email)).toHaveLength(9);
    expect((await record(email))?.otp_mails).toHaveLength(10);
  });

  test('2. leaves two of the ten to others when one IPv6 /48 asks for codes', async () => {
    const { email } = await unverified();
    const from = (address: string) => post('forgot-password', { email }, { 'x-forwarded-for': address });
    const answers: number[] = [];
    for (let group = 1; group <= 9; group += 1)
      answers.push((await from(`2001:db8:0:${group * 100}::1`)).status);
    expect(answers).toEqual([...Array(8).fill(200), 429]);
    expect((await from('2001:db8:1::1')).status).toBe(200);
  });

  test('2. mails at most twenty codes a day that nobody uses', async () => {
    const { email } = await active();
    let network = 0;
    const next = () => forgot(email, 1 + (network++ % 10));
    for (let hour = 0; hour < 2; hour += 1) {
      services.clock.advance(3600);
      for (let mail = 0; mail < 10; mail += 1) expect((await next()).status).toBe(200);
    }
    const otp = mailedCode(services.mailbox, email);
    expect((await post('verify-otp', { email, otp })).status).toBe(200);
    services.clock.advance(3600);
    // The code that was used does not count.
    expect((await next()).status).toBe(200);
    const refused = await next();
    expect(outcome(refused)).toStrictEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(refused.headers.get('retry-after')).toBe(String(22 * 3600));
    services.clock.advance(22 * 3600);
    expect((await next()).status).toBe(200);
  });

  test('2. leaves half of the twenty to others when one network asks for codes all day', async () => {
    const { email } = await active();
    const statuses: number[] = [];
    for (let call = 0; call < 11; call += 1) {
      statuses.push((await forgot(email, 1)).status);
      services.clock.advance(900);
    }
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
    const refused = await forgot(email, 1);
    expect(refused.headers.get('retry-after')).toBe(String(86_400 - 11 * 900));
    expect((await forgot(email, 2)).status).toBe(200);
  });
});
