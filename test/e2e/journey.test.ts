import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeToken, postForm, send } from '../fixtures/http.ts';
import { launch } from '../fixtures/launcher.ts';

/** The README's journey through the processes of `npm start`; each test continues the previous one. */
describe('the journey', () => {
  let system: Awaited<ReturnType<typeof launch>>;
  beforeAll(async () => {
    system = await launch();
    await system.up;
  });
  afterAll(async () => {
    expect(await system.stop()).toBe(0);
  });

  async function post(operation: string, fields: Record<string, string>) {
    const { status, body } = await postForm(`${system.gateway}/v2/${operation}`, fields);
    return { status, body };
  }
  /** A CAPTCHA token as `npm run -s captcha` prints it. */
  async function solved(): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [
      'services/gateway/captcha/solve.ts',
      system.gateway,
    ]);
    return stdout.trim();
  }
  /** Reads the code from the latest mail as the README does with sed. */
  async function mailedCode(): Promise<string> {
    const text = await (await fetch(`${system.mailbox}/api/v1/message/latest`)).text();
    return /.*code is ([0-9]*).*/.exec(text)?.[1] ?? '';
  }
  const login = async (password: string, recaptcha_token?: string) =>
    post('login', {
      email: 'ada@example.com',
      password,
      recaptcha_token: recaptcha_token ?? (await solved()),
    });

  const token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  const about = (seconds: number) => {
    const now = Date.now() / 1000;
    return expect.toSatisfy(
      (exp: number) => Math.abs(exp - now - seconds) < 60,
      `about ${seconds} s from now`,
    );
  };
  let user_id: string;

  test('signup mails a code', async () => {
    const answer = await post('signup', { email: 'ada@example.com', password: 'correct-horse', name: 'Ada' });
    expect(answer).toEqual({ status: 200, body: { token } });
    expect(decodeToken(answer.body.token).payload).toEqual({
      email: 'ada@example.com',
      otp_sent: true,
      exp: about(1800),
    });
    expect(await mailedCode()).toMatch(/^\d{6}$/);
  });

  test('login before verification returns 403', async () => {
    expect(await login('correct-horse')).toEqual({ status: 403, body: { detail: 'Account not verified' } });
  });

  test('the code verifies the account', async () => {
    const answer = await post('verify-otp', { email: 'ada@example.com', otp: await mailedCode() });
    expect(answer).toEqual({
      status: 200,
      body: { message: 'OTP verified successfully', user_id: expect.stringMatching(/^User-[1-9]\d{5}$/) },
    });
    user_id = answer.body.user_id;
  });

  test('login with a solved proof of work returns a token that opens the profile', async () => {
    const answer = await login('correct-horse');
    expect(answer).toEqual({ status: 200, body: { message: 'Login successful', token, user_id } });
    expect(decodeToken(answer.body.token).payload).toEqual({
      email: 'ada@example.com',
      user_id,
      exp: about(1800),
    });
    const { status, headers, body } = await send(`${system.gateway}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${answer.body.token}` },
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { email: 'ada@example.com', user_id } });
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('a solution is valid for one login, and an empty one for none', async () => {
    const refused = { status: 400, body: { detail: 'reCAPTCHA validation failed' } };
    const solution = await solved();
    expect((await login('wrong-horse', solution)).status).toBe(401);
    expect(await login('correct-horse', solution)).toEqual(refused);
    expect(await login('correct-horse', '')).toEqual(refused);
  });

  test('a second signup is rejected', async () => {
    expect(await post('signup', { email: 'ADA@example.com', password: 'x', name: 'x' })).toEqual({
      status: 400,
      body: { detail: 'Email already registered' },
    });
  });

  test('a mailed code resets the password', async () => {
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

  test('login of an unknown e-mail returns 404', async () => {
    const answer = await post('login', {
      email: 'grace@example.com',
      password: 'x',
      recaptcha_token: await solved(),
    });
    expect(answer).toEqual({
      status: 404,
      body: { detail: 'User does not exist, please create a new account.' },
    });
  });

  test('the log contains no password, code or token', async () => {
    expect(system.output()).toContain('login: success');
    expect(system.output()).not.toMatch(/correct-horse(?! -d)|wrong-horse|battery-staple|eyJ/);
    expect(system.output()).not.toContain(await mailedCode());
  });

  test('the solver reports an unreachable gateway in one line', async () => {
    const solve = promisify(execFile)(process.execPath, [
      'services/gateway/captcha/solve.ts',
      'http://127.0.0.1:1',
    ]);
    await expect(solve).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^captcha: http:\/\/127\.0\.0\.1:1 cannot be reached \(.*\)\n$/),
    });
  });
});
