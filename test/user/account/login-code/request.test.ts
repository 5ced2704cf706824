import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditEvent } from '../../../fixtures/audit.ts';
import { enrolled } from '../../../fixtures/enrolled.ts';
import { errorEnvelope, outcome, rateLimited } from '../../../fixtures/envelope.ts';
import { eventually } from '../../../fixtures/eventually.ts';
import { decodeToken, postForm, send } from '../../../fixtures/http.ts';
import { newMember } from '../../../fixtures/members.ts';
import { type Services, startServices } from '../../../fixtures/services.ts';
import { fromNetwork } from '../codes.ts';
import { codeMails, codePost, newCode, requestsFor, verifyPost } from './login-codes.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices({
    env: { LOGIN_BY_CODE: 'on', TRUST_PROXY: 'loopback', LOG_LEVEL: 'info' },
  });
});
afterAll(() => services.stop());

const record = (email: string) => services.db.users.findOne({ email });
/** The events of `count` requests, once what follows their answers is done. */
const requested = (email: string, count = 1) =>
  eventually(async () => {
    const events = await requestsFor(services, email);
    expect(events).toHaveLength(count);
    return events;
  });
const answer = { status: 200, body: { token: expect.any(String), expires_in: 600 } };

describe('asking for a code', () => {
  test('mails a code and a link to a verified account, and leaves its record alone', async () => {
    const { email, user_id } = await newMember(services.db);
    const before = await record(email);
    const response = await codePost(services, { email: ` ${email.toUpperCase()} ` });
    expect(outcome(response)).toEqual(answer);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await requested(email)).toEqual([
      auditEvent(services.clock.now(), {
        action: 'login.code',
        user_id: user_id as string,
        email: email.toLowerCase(),
      }),
    ]);
    const [mail] = codeMails(services, email);
    const code = /\b\d{6}\b/.exec(mail?.content.text ?? '')?.[0];
    expect(mail?.content.subject).toBe('Your code to sign in');
    expect(mail?.content.text).toContain(`Your code is ${code}`);
    expect(mail?.content.text).toContain('It is valid for 10 minutes');
    const link = `http://localhost:8000/code-login#email=${encodeURIComponent(email)}&code=${code}&token=${response.body.token}`;
    expect(mail?.content.text).toContain(link);
    expect(mail?.content.html).toContain(link.replaceAll('&', '&amp;'));
    expect(await record(email)).toStrictEqual(before);
  });

  test('is the same at the Direct contract', async () => {
    const { email } = await newMember(services.db);
    expect(outcome(await postForm(`${services.user}/v2/login/code`, { email }))).toEqual(answer);
    await requested(email);
    expect(codeMails(services, email)).toHaveLength(1);
  });

  test('mails in the language of the account', async () => {
    const { email } = await newMember(services.db, { language: 'de' });
    await newCode(services, email);
    expect(codeMails(services, email)[0]?.content).toMatchObject({
      subject: 'Ihr Code für die Anmeldung',
      text: expect.stringContaining('Er gilt 10 Minuten'),
    });
  });

  test('builds the link from PUBLIC_URL, whatever the client says', async () => {
    const { email } = await newMember(services.db);
    await newCode(services, email, {
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      host: 'evil.example',
    });
    const { text, html } = codeMails(services, email)[0]?.content ?? {};
    expect(`${text}${html}`).not.toContain('evil.example');
  });

  test.each([
    ['of no account', undefined, 'unknown account'],
    ['that was never verified', { verified: false, account_status: 'paused' }, 'not verified'],
    ['of a disabled account', { account_status: 'disabled' }, 'account disabled'],
  ])('answers the same for an address %s, and mails nothing', async (_, fields, outcomeOfAudit) => {
    const email = fields ? (await newMember(services.db, fields)).email : 'nobody@example.com';
    const mails = services.mailbox.mails.length;
    const response = await codePost(services, { email });
    expect(outcome(response)).toEqual(answer);
    expect(await requested(email)).toMatchObject([{ outcome: outcomeOfAudit }]);
    expect(services.mailbox.mails).toHaveLength(mails);
  });

  test.each([
    ['enrolled', () => enrolled(services.db, services.clock)],
    [
      'deleted soon',
      () => {
        const due = new Date(services.clock.now() + 86_400_000);
        return newMember(services.db, { deletion: { requested_at: new Date(0), due_at: due, next: due } });
      },
    ],
    ['verified and paused', () => newMember(services.db, { account_status: 'paused' })],
  ])('mails a code to an account that is %s', async (_, store) => {
    const { email } = await store();
    await newCode(services, email);
  });

  test('masks in the audit what is no address', async () => {
    expect(outcome(await codePost(services, { email: 'correct horse battery staple' }))).toEqual(answer);
    expect(await requested('[not an address]')).toMatchObject([{ outcome: 'unknown account' }]);
  });

  test.each([
    [{}, 'MISSING_FIELD'],
    [{ email: ' ' }, 'MISSING_FIELD'],
    [{ email: { $gt: '' } }, 'INVALID_FORMAT'],
    [{ email: ['ada@example.com'] }, 'INVALID_FORMAT'],
  ])('refuses %j', async (body, code) => {
    expect(outcome(await codePost(services, body))).toMatchObject({ status: 400, body: { error: { code } } });
  });

  test('the token names the request, expires with the code and is no bearer', async () => {
    const email = 'token@example.com';
    const { token } = (await codePost(services, { email })).body;
    const { header, payload } = decodeToken(token);
    expect(header).toEqual({ alg: 'HS256', typ: 'login-code+jwt' });
    expect(payload).toEqual({
      email,
      attempt: expect.stringMatching(/^[0-9a-f-]{36}$/),
      exp: services.clock.seconds() + 600,
    });
    const headers = { authorization: `Bearer ${token}` };
    expect((await send(`${services.user}/api/v1/users/me`, { headers })).status).toBe(401);
  });

  test('stores neither the code nor the address in clear text, and logs neither', async () => {
    const { email } = await newMember(services.db);
    const { code, token } = await newCode(services, email);
    const stored = JSON.stringify(await services.db.loginCodes.find().toArray());
    expect(stored).not.toContain(code);
    expect(stored.toLowerCase()).not.toContain(email.toLowerCase());
    // Other numbers in a log line may hold any six digits.
    expect(services.logged.join('')).not.toContain(`"${code}"`);
    expect(services.logged.join('')).not.toContain(token);
  });

  test('a mail server that refuses the mail is audited, not answered', async () => {
    const down = await startServices({ env: { LOGIN_BY_CODE: 'on', SMTP_URL: 'smtp://127.0.0.1:1' } });
    try {
      const { email } = await newMember(down.db);
      expect(outcome(await codePost(down, { email }))).toEqual(answer);
      const [event] = await eventually(async () => {
        const events = await requestsFor(down, email);
        expect(events).toHaveLength(1);
        return events;
      });
      expect(event?.outcome).toBe('The code could not be mailed, please try again');
    } finally {
      await down.stop();
    }
  });
});

describe('limits', () => {
  const ask = (email: string, network: number) => codePost(services, { email }, fromNetwork(network));
  const limited = (limit: number, retryAfter: number) => rateLimited(limit, retryAfter, services.clock.now());

  test.each([
    ['an account', async () => (await newMember(services.db)).email],
    ['no account', async () => 'unknown-limits@example.com'],
  ])('five in an hour from one network and ten in all, with %s', async (_, address) => {
    const email = await address();
    for (const network of [1, 1, 1, 1, 1]) expect((await ask(email, network)).status).toBe(200);
    expect(outcome(await ask(email, 1))).toEqual(limited(5, 3600));
    for (const network of [2, 2, 2, 2, 2]) expect((await ask(email, network)).status).toBe(200);
    expect(outcome(await ask(email, 3))).toEqual(limited(10, 3600));
  });

  test('share the hour of a mailbox with the codes of forgot-password', async () => {
    const { email } = await newMember(services.db);
    for (let turn = 0; turn < 5; turn += 1)
      await postForm(`${services.user}/v2/forgot-password`, { email }, fromNetwork(11));
    expect((await ask(email, 11)).status).toBe(429);
    expect((await ask(email.replace('@', '+tag@'), 11)).status).toBe(429);
    expect((await ask(email, 12)).status).toBe(200);
  });

  test('twenty in a day, ten of them from one network', async () => {
    const email = 'daily@example.com';
    const spend = async (network: number) => {
      for (let turn = 0; turn < 5; turn += 1) expect((await ask(email, network)).status).toBe(200);
      services.clock.advance(3600);
    };
    await spend(21);
    await spend(21);
    expect(outcome(await ask(email, 21))).toEqual(limited(10, 86_400 - 7200));
    await spend(22);
    await spend(22);
    expect(outcome(await ask(email, 23))).toEqual(limited(20, 86_400 - 4 * 3600));
    services.clock.advance(86_400);
    expect((await ask(email, 21)).status).toBe(200);
  });

  test('a code that is used does not count for the day', async () => {
    const { email } = await newMember(services.db);
    for (let turn = 0; turn < 22; turn += 1) {
      const { code } = await newCode(services, email, fromNetwork(41));
      expect((await verifyPost(services, { email, code })).status).toBe(200);
      const day = { key: { $regex: `^login codes at ${email.toLowerCase()}` }, 'uses.0': { $exists: true } };
      await eventually(async () => (await services.db.budgets.countDocuments(day)) === 0);
      services.clock.advance(900);
    }
  });

  test('a refused request replaces no code', async () => {
    const { email } = await newMember(services.db);
    const { code } = await newCode(services, email, fromNetwork(31));
    for (let turn = 0; turn < 4; turn += 1) {
      await ask(email, 32);
      await requested(email, turn + 2);
    }
    const { code: newest } = await newCode(services, email, fromNetwork(32));
    expect((await ask(email, 32)).status).toBe(429);
    expect((await verifyPost(services, { email, code: newest })).status).toBe(200);
    if (code !== newest) expect((await verifyPost(services, { email, code })).status).toBe(401);
  });
});

describe('while LOGIN_BY_CODE is off', () => {
  test('none of its paths exists', async () => {
    const off = await startServices();
    try {
      expect(outcome(await codePost(off, { email: 'ada@example.com' }))).toEqual({
        status: 401,
        body: errorEnvelope('INVALID_TOKEN', 'No authorization header'),
      });
      expect((await verifyPost(off, { email: 'ada@example.com', code: '123456' })).status).toBe(401);
      for (const path of ['login/code', 'login/code/verify'])
        expect((await postForm(`${off.user}/v2/${path}`, { email: 'ada@example.com' })).status).toBe(404);
    } finally {
      await off.stop();
    }
  });
});
