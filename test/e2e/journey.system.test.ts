import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dropDatabase, freshMongodbUri } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { decodeToken, postForm, send } from '../fixtures/http.ts';
import { launch } from '../fixtures/launcher.ts';
import { standaloneDatabase } from '../fixtures/mongodb.ts';

/** The README's quick start, step by step, against the processes of `npm start`. */
describe('the quick start', () => {
  let system: Awaited<ReturnType<typeof launch>>;
  /** The one that MONGODB_URI names; otherwise the launcher starts its own. */
  let database: string | undefined;
  beforeAll(async () => {
    if (!standaloneDatabase) database = await freshMongodbUri();
    system = await launch({ env: database === undefined ? {} : { MONGODB_URI: database } });
    await system.up;
  });
  afterAll(async () => {
    expect(await system.stop()).toBe(0);
    if (database !== undefined) await dropDatabase(database);
  });

  async function post(operation: string, fields: Record<string, string>) {
    const { status, body } = await postForm(`${system.gateway}/v2/${operation}`, fields);
    return { status, body };
  }
  /** Runs `npm run -s captcha`. */
  const captchaCommand = (gateway: string) =>
    promisify(execFile)(process.execPath, ['commands/captcha.ts', gateway]);
  async function solvedCaptcha(): Promise<string> {
    const response = await fetch(`${system.gateway}/captcha/challenge`);
    const challenge = (await response.json()) as Challenge;
    const solution = await solveChallenge({ challenge, deriveKey });
    return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
  }
  const latestMail = async () => (await fetch(`${system.mailbox}/api/v1/message/latest`)).text();
  const codes: string[] = [];
  /** Extracts the code from the latest mail, as the README's sed does. */
  async function mailedCode(): Promise<string> {
    const code = /.*code is ([0-9]*).*/.exec(await latestMail())?.[1] ?? '';
    codes.push(code);
    return code;
  }
  const login = async (password: string, recaptcha_token?: string) =>
    post('login', {
      email: 'ada@example.com',
      password,
      recaptcha_token: recaptcha_token ?? (await solvedCaptcha()),
    });

  const token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  /** Whether a token issued since `began` (Unix milliseconds) expires after 30 minutes. */
  const halfAnHourFrom = (began: number) =>
    expect.toSatisfy(
      (exp: number) => exp >= Math.floor(began / 1000) + 1800 && exp <= Date.now() / 1000 + 1800,
      'a Unix time 30 minutes after the call',
    );
  let user_id: string;

  test('signup mails a code', async () => {
    const began = Date.now();
    const answer = await post('signup', { email: 'ada@example.com', password: 'correct-horse', name: 'Ada' });
    expect(answer).toStrictEqual({ status: 200, body: { token } });
    expect(decodeToken(answer.body.token).payload).toEqual({
      email: 'ada@example.com',
      otp_sent: true,
      exp: halfAnHourFrom(began),
    });
    expect(await mailedCode()).toMatch(/^\d{6}$/);
  });

  test('login is refused before verification', async () => {
    expect(await login('correct-horse')).toEqual({ status: 403, body: { detail: 'Account not verified' } });
  });

  test('the code verifies the account', async () => {
    const answer = await post('verify-otp', { email: 'ada@example.com', otp: await mailedCode() });
    expect(answer).toStrictEqual({
      status: 200,
      body: { message: 'OTP verified successfully', user_id: expect.stringMatching(/^User-[1-9]\d{5}$/) },
    });
    user_id = answer.body.user_id;
  });

  test('login succeeds with the CAPTCHA that `npm run captcha` solves', async () => {
    const { stdout } = await captchaCommand(system.gateway);
    const began = Date.now();
    const answer = await login('correct-horse', stdout.trim());
    expect(answer).toStrictEqual({ status: 200, body: { message: 'Login successful', token, user_id } });
    expect(decodeToken(answer.body.token).payload).toEqual({
      email: 'ada@example.com',
      user_id,
      exp: halfAnHourFrom(began),
    });
    const { status, headers, body } = await send(`${system.gateway}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${answer.body.token}` },
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { email: 'ada@example.com', user_id } });
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('a solved CAPTCHA is good for one login', async () => {
    const refused = { status: 400, body: { detail: 'reCAPTCHA validation failed' } };
    const solution = await solvedCaptcha();
    expect((await login('wrong-horse', solution)).status).toBe(401);
    expect(await login('correct-horse', solution)).toEqual(refused);
    expect(await login('correct-horse', '')).toEqual(refused);
  });

  test('a second signup is refused', async () => {
    expect(await post('signup', { email: 'ADA@example.com', password: 'x', name: 'x' })).toEqual({
      status: 400,
      body: { detail: 'Email already registered' },
    });
  });

  test('a new code resets the password', async () => {
    expect(await post('forgot-password', { email: 'ada@example.com' })).toEqual({
      status: 200,
      body: { token },
    });
    const reset = { email: 'ada@example.com', otp: await mailedCode(), new_password: 'battery-staple' };
    expect(await post('reset-password', reset)).toEqual({ status: 200, body: { token } });
    expect(await post('reset-password', reset)).toEqual({
      status: 400,
      body: { detail: 'Invalid or expired OTP' },
    });
    expect(await login('correct-horse')).toEqual({ status: 401, body: { detail: 'Invalid credentials' } });
    expect(await login('battery-staple')).toEqual({
      status: 200,
      body: { message: 'Login successful', token, user_id },
    });
  });

  test('the reset is told by mail', async () => {
    const mail = await eventually(async () => {
      const text = await latestMail();
      expect(text).toContain('Your password was reset');
      return text;
    });
    expect(mail).toContain('Network address: 127.0.0.1');
    expect(mail).toContain(`http://localhost:${new URL(system.gateway).port}/forgot`);
  });

  test('login is refused for an unknown e-mail', async () => {
    const answer = await post('login', {
      email: 'grace@example.com',
      password: 'x',
      recaptcha_token: await solvedCaptcha(),
    });
    expect(answer).toStrictEqual({
      status: 404,
      body: { detail: 'User does not exist, please create a new account.' },
    });
  });

  test('the output contains no password, code or token', async () => {
    expect(system.output()).toContain('login: success');
    expect(system.output()).not.toMatch(/correct-horse(?! -d)|wrong-horse|battery-staple|eyJ/);
    expect(codes.length).toBeGreaterThan(1);
    for (const code of codes) expect(system.output()).not.toContain(code);
  });

  test('`npm run captcha` reports a failure in one line', async () => {
    await expect(captchaCommand('http://127.0.0.1:1')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^captcha: http:\/\/127\.0\.0\.1:1 cannot be reached \(.*\)\n$/),
    });
  });
});
