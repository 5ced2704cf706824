import { afterAll, beforeAll, expect, test } from 'vitest';
import { postForm, send } from '../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../fixtures/services.ts';

let services: Services;
let unmailed: Services;
beforeAll(async () => {
  const env = { LOG_LEVEL: 'trace' };
  [services, unmailed] = await Promise.all([
    startServices({ env }),
    startServices({ env: { ...env, SMTP_URL: 'smtp://127.0.0.1:1' } }),
  ]);
});
afterAll(() => Promise.all([services.stop(), unmailed.stop()]));

const SECRET = 'pass-word-of-the-tests';

test('logs no password, code or token', async () => {
  const codes: string[] = [];
  const tokens: string[] = [];
  const post = async (operation: string, fields: Record<string, string>, where = services) => {
    const base = operation === 'login' ? where.login : where.user;
    const { body } = await postForm(`${base}/v2/${operation}`, fields);
    if (body.token) tokens.push(body.token);
  };
  const newCode = () => {
    const code = mailedCode(services.mailbox, email);
    codes.push(code);
    return code;
  };
  const otherThan = (code: string, by: number) => {
    const other = String((Number(code) + by) % 1_000_000).padStart(6, '0');
    codes.push(other);
    return other;
  };
  const email = 'ada@example.com';
  const form = { email, password: `${SECRET}-1`, name: 'Ada' };

  await post('signup', { ...form, email: 'not an address' });
  await post('signup', { ...form, password: SECRET.repeat(60) });
  await post('signup', form);
  await post('login', form);
  const first = newCode();
  for (let guess = 1; guess <= 6; guess += 1)
    await post('verify-otp', { email, otp: otherThan(first, guess) });
  await post('signup', form);
  await post('verify-otp', { email, otp: newCode() });
  await post('signup', form);
  await post('login', { ...form, password: `${SECRET}-wrong` });
  await post('login', form);
  await post('forgot-password', { email });
  const second = newCode();
  await post('reset-password', { email, otp: otherThan(second, 1), new_password: `${SECRET}-2` });
  await post('reset-password', { email, otp: second, new_password: `${SECRET}-2` });
  await post('reset-password', { email, otp: second, new_password: `${SECRET}-3` });
  await post('login', { email, password: `${SECRET}-2` });

  // Malformed bodies and query strings.
  const query = new URLSearchParams({ ...form, otp: second }).toString();
  for (const operation of ['signup', 'verify-otp', 'forgot-password', 'reset-password']) {
    const url = `${services.user}/v2/${operation}`;
    await send(`${url}?${query}`, { method: 'POST' });
    await send(url, { method: 'POST', body: JSON.stringify(form) });
    await send(url, {
      method: 'POST',
      body: `${query}&${query}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    await send(url, {
      method: 'POST',
      body: `--b\r\n${query}`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    await send(url, { method: 'POST', headers: { authorization: `Bearer ${tokens[0]}`, cookie: SECRET } });
  }

  // Mails that cannot be sent.
  await post('signup', form, unmailed);
  codes.push((await unmailed.db.users.findOne({ email }))?.otp as string);
  await post('forgot-password', { email }, unmailed);
  codes.push((await unmailed.db.users.findOne({ email }))?.otp as string);

  const lines = [...services.logged, ...unmailed.logged];
  expect(lines.length).toBeGreaterThan(30);
  expect(tokens).toHaveLength(6);
  const hashes = (await services.db.users.find().toArray()).map(({ password }) => password);
  for (const line of lines) {
    // Times and ids may contain six digits by chance.
    const { time: _, ms: __, reqId: ___, pid: ____, ...said } = JSON.parse(line);
    const text = JSON.stringify(said);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('argon2id');
    for (const secret of [
      ...codes,
      ...tokens,
      ...tokens.map((token) => token.split('.')[2] as string),
      ...hashes,
    ])
      expect(text).not.toContain(secret);
  }
});

test('logs each request in one line, without its query string', async () => {
  services.logged.length = 0;
  await send(`${services.user}/v2/forgot-password?email=eve@example.com`, {
    method: 'POST',
    body: new URLSearchParams({ email: 'nobody@example.com' }),
    headers: { 'x-request-id': 'from-a-test' },
  });
  const answered = services.logged
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request completed');
  expect(answered).toEqual([
    expect.objectContaining({
      service: 'user',
      reqId: 'from-a-test',
      method: 'POST',
      path: '/v2/forgot-password',
      status: 404,
    }),
  ]);
  expect(services.logged.join()).not.toContain('eve@example.com');
});
