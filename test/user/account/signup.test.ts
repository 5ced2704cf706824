import { createHmac } from 'node:crypto';
import { createPasswords } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testClock } from '../../fixtures/clock.ts';
import { decodeToken, postForm } from '../../fixtures/http.ts';
import { rounds } from '../../fixtures/property.ts';
import { JWT_SECRET, mailedCode, type Services, startServices } from '../../fixtures/services.ts';
import { fromNetwork } from './codes.ts';

// Half a minute before midnight UTC: a date in local time would differ in most time zones. In the future, because
// the database deletes old unverified records by its own clock.
const start = () => testClock(Date.UTC(2099, 0, 15, 23, 59, 30));
const ARGON2ID = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

let services: Services;
let hashing: Services;
beforeAll(async () => {
  [services, hashing] = await Promise.all([
    startServices({ clock: start(), env: { PASSWORD_STORAGE: 'plain', TRUST_PROXY: 'loopback' } }),
    startServices({ clock: start(), passwords: createPasswords() }),
  ]);
});
afterAll(() => Promise.all([services.stop(), hashing.stop()]));

let people = 0;
const newEmail = () => `person${++people}@example.com`;

type Form = { email: string; password?: string; name?: string };
const post = (operation: string, fields: Record<string, string>, { user } = services, headers = {}) =>
  postForm(`${user}/v2/${operation}`, fields, headers);
const signUp = (form: Form, where = services, network?: number) =>
  post('signup', { password: 'secret', name: 'Ada', ...form }, where, network ? fromNetwork(network) : {});
const logIn = async (email: string, password: string, { login } = services) =>
  (await postForm(`${login}/v2/login`, { email, password })).status;
const record = (email: string, { db } = services) => db.users.findOne({ email });
/** The mails to an address, newest first. The mailer lowercases the domain. */
const mailsTo = (email: string) => {
  const [local, domain] = email.split('@');
  const address = `${local}@${domain?.toLowerCase()}`;
  return services.mailbox.mails.filter(({ recipients }) => recipients.includes(address));
};

/** Signs up and verifies. */
async function activate(email: string) {
  expect((await signUp({ email })).status).toBe(200);
  const otp = mailedCode(services.mailbox, email);
  expect((await post('verify-otp', { email, otp })).status).toBe(200);
}

describe('an unknown e-mail', () => {
  test('creates the record of CONTRACT.md §User record, without a user_id', async () => {
    const email = newEmail();
    expect((await signUp({ email, name: 'Ada Lovelace' }, hashing)).status).toBe(200);
    expect(await record(email, hashing)).toStrictEqual({
      _id: expect.anything(),
      email,
      password: expect.stringMatching(ARGON2ID),
      name: 'Ada Lovelace',
      language: 'en',
      verified: false,
      account_status: 'paused',
      payment_status: 'pending',
      otp: mailedCode(hashing.mailbox, email),
      otp_expiration: hashing.clock.seconds() + 60,
      otp_attempt: expect.any(String),
      otp_wrong_guesses: 0,
      otp_holder_guesses: 0,
      otp_mails: [{ at: hashing.clock.seconds(), network: '127.0.0.1' }],
      first_attempt: expect.any(String),
      otp_unused: [{ at: hashing.clock.seconds(), network: '127.0.0.1', attempt: expect.any(String) }],
      signup_attempts: [
        {
          id: expect.any(String),
          at: hashing.clock.seconds(),
          password: expect.stringMatching(ARGON2ID),
          name: 'Ada Lovelace',
        },
      ],
      unverified_since: new Date(hashing.clock.now()),
      'user_created_at(DATE)': '2099-01-15',
      created_at: new Date(hashing.clock.now()).toISOString(),
      address_since: new Date(hashing.clock.now()),
      subscription_id: 'free',
      subscription_plan: 'Free',
      subscription_date: '2099-01-15',
    });
    expect(await hashing.db.features.countDocuments()).toBe(0);
  });

  test('returns a token with otp_sent, valid for 30 minutes', async () => {
    const email = newEmail();
    const { body, headers } = await signUp({ email });
    expect(body).toStrictEqual({ token: expect.any(String) });
    const { header, payload } = decodeToken(body.token);
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT', attempt: (await record(email))?.otp_attempt });
    expect(payload).toEqual({ email, otp_sent: true, exp: services.clock.seconds() + 30 * 60 });
    const [signed, signature] = [body.token.replace(/\.[^.]*$/, ''), body.token.split('.')[2]];
    expect(signature).toBe(createHmac('sha256', JWT_SECRET).update(signed).digest('base64url'));
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('mails the code and nothing else', async () => {
    const email = newEmail();
    await signUp({ email });
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.recipients).toEqual([email]);
    expect(mail?.content).toMatchObject({
      subject: 'Your OTP Code',
      to: [{ name: '', address: email }],
      text: `Your code is ${(await record(email))?.otp}\n\nIt is valid for 60 seconds. If you did not ask for it, ignore this mail.\n\n-- \nGatehouse\n`,
    });
    const codes = mail?.content.html?.match(/>\d{6}</g);
    expect(codes).toEqual([`>${(await record(email))?.otp}<`]);
  });

  test.each([
    ['de-AT, en;q=0.5', 'de', 'Ihr Code'],
    ['fr, de;q=0.5', 'de', 'Ihr Code'],
    ['en-GB, de;q=0.9', 'en', 'Your OTP Code'],
    ['fr', 'en', 'Your OTP Code'],
    ['$literal, \u00ff;;q=', 'en', 'Your OTP Code'],
  ])('with Accept-Language %j gets an account in %s', async (header, language, subject) => {
    const email = newEmail();
    const form = { email, password: 'secret', name: 'Ada' };
    expect((await post('signup', form, services, { 'accept-language': header })).status).toBe(200);
    expect((await record(email))?.language).toBe(language);
    expect(mailsTo(email)[0]?.content.subject).toBe(subject);
    expect((await post('forgot-password', { email })).status).toBe(200);
    expect(mailsTo(email)[0]?.content.subject).toBe(subject);
  });

  test('takes the language of the latest signup', async () => {
    const email = newEmail();
    for (const [language, subject] of [
      ['en', 'Your OTP Code'],
      ['de', 'Ihr Code'],
    ] as const) {
      const form = { email, password: 'secret', name: 'Ada' };
      await post('signup', form, services, { 'accept-language': language });
      expect((await record(email))?.language).toBe(language);
      expect(mailsTo(email)[0]?.content.subject).toBe(subject);
    }
    await services.db.users.updateOne({ email }, { $set: { verified: true } });
    const later = { 'accept-language': 'en' };
    expect((await post('signup', { email, password: 'x', name: 'x' }, services, later)).status).toBe(400);
    expect((await record(email))?.language).toBe('de');
  });

  test('accepts multipart', async () => {
    const email = newEmail();
    const body = new FormData();
    for (const [name, value] of Object.entries({ email, password: 'se\r\ncret', name: 'Ada Löwe' }))
      body.append(name, value);
    expect((await fetch(`${services.user}/v2/signup`, { method: 'POST', body })).status).toBe(200);
    expect(await record(email)).toMatchObject({ name: 'Ada Löwe', password: 'se\r\ncret' });
  });

  test('ignores unknown fields', async () => {
    const email = newEmail();
    const unknown = {
      verified: 'true',
      user_id: 'User-100000',
      _id: '1',
      account_status: 'active',
      subscription_plan: 'Enterprise',
      otp: '000000',
      otp_expiration: '9999999999',
      features_assigned: 'true',
      role: 'Owner',
      'name[$set]': 'x',
      $set: 'x',
      constructor: 'x',
      ...JSON.parse('{"__proto__":"x"}'),
    };
    expect((await signUp({ email, ...unknown })).status).toBe(200);
    const fields = Object.keys((await record(email)) ?? {}).sort();
    const usual = newEmail();
    await signUp({ email: usual });
    expect(fields).toEqual(Object.keys((await record(usual)) ?? {}).sort());
    expect(await record(email)).toMatchObject({
      verified: false,
      account_status: 'paused',
      subscription_plan: 'Free',
      otp: mailedCode(services.mailbox, email),
      otp_expiration: services.clock.seconds() + 60,
    });
  });

  test('creates one record for twelve parallel signups, and mails ten codes', async () => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        signUp(
          {
            email: index % 2 ? email : email.toUpperCase(),
            password: `secret ${index}`,
            name: `Ada ${index}`,
          },
          services,
          1 + (index % 4),
        ),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
    const pattern = { $regex: `^${email}$`, $options: 'i' };
    const [one, ...others] = await services.db.users.find({ email: pattern }).toArray();
    expect(others).toEqual([]);
    const mails = mailsTo(one?.email as string);
    expect(mails).toHaveLength(10);
    expect(mails.map(({ content }) => content.text)).toContainEqual(
      expect.stringContaining(one?.otp as string),
    );
    expect(one?.otp_mails).toHaveLength(10);
    expect(one?.signup_attempts).toHaveLength(10);
    // Code, password and name come from the same signup.
    const index = one?.name.split(' ')[1];
    expect(await logIn(email, `secret ${index}`)).toBe(403);
  });
});

describe('the e-mail', () => {
  test('is trimmed, keeps its spelling and matches in any case', async () => {
    expect((await signUp({ email: ' \t Grace.Hopper@Example.COM \n' })).status).toBe(200);
    const again = await signUp({ email: 'gRACE.hOPPER@eXAMPLE.com', name: 'Grace' });
    expect(again.status).toBe(200);
    expect(decodeToken(again.body.token).payload.email).toBe('Grace.Hopper@Example.COM');
    expect(await services.db.users.countDocuments({ email: /^grace\.hopper@example\.com$/i })).toBe(1);
    expect(await record('Grace.Hopper@Example.COM')).toMatchObject({ name: 'Grace' });
    // Both codes went to the stored address.
    expect(mailsTo('Grace.Hopper@Example.COM')).toHaveLength(2);
  });

  test.each([
    'a@b.co',
    'a@gatehouse.test',
    'a@corp.local',
    'a@1.example',
    'a@xn--bcher-kva.example',
    "o'neil+tag_1@sub.example.co",
    '!#$%&*/=?^`{|}~-@example.com',
    `${'a'.repeat(64)}@example.com`,
  ])('%s is accepted', async (email) => {
    expect((await signUp({ email })).status).toBe(200);
    expect(await record(email)).toMatchObject({ email });
  });

  test.each([
    'plain',
    '@example.com',
    'a@',
    'a@b@example.com',
    'a b@example.com',
    'a@example.com, b@example.com',
    'a@example.com;b@example.com',
    'Ada <ada@example.com>',
    '<ada@example.com>',
    'ada@example.com (Ada)',
    'friends: a@example.com, b@example.com;',
    '"ada lovelace"@example.com',
    '"a@example.com\r\nBcc: b"@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'a\u0000@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@-example.com',
    'a@example..com',
    'a@example.com.',
    'a@[127.0.0.1]',
    'a@exam_ple.com',
    'grüße@example.com',
    'a@exämple.com',
    'a%0d%0a@exa\u00admple.com',
    'person1@example.com\u200b',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(61)}`,
  ])('%j is refused', async (email) => {
    const before = await services.db.users.countDocuments();
    const mails = services.mailbox.mails.length;
    const { status, body } = await signUp({ email });
    expect({ status, body }).toEqual({
      status: 400,
      body: { detail: 'email must be a plain e-mail address' },
    });
    expect(await services.db.users.countDocuments()).toBe(before);
    expect(services.mailbox.mails).toHaveLength(mails);
  });

  test.each(['a@b', 'root@localhost', 'a@127.0.0.1', 'a@1'])(
    '%j has no public domain: refused',
    async (email) => {
      expect(await signUp({ email })).toMatchObject({
        status: 400,
        body: { detail: 'email must have a public domain' },
      });
      expect(await record(email)).toBeNull();
    },
  );

  // The database's collation equates these with the letter k.
  test.each(['\u212a', '\uff4b', '\uff2b', 'ḱ', '𝐤'])(
    'with the look-alike letter %s is another address',
    async (letter) => {
      const email = 'kim@example.com';
      const lookalike = `${letter}im@example.com`;
      if (!(await record(email))) await activate(email);
      const before = await record(email);
      const mails = services.mailbox.mails.length;
      expect(await signUp({ email: lookalike })).toMatchObject({
        status: 400,
        body: { detail: 'email must be a plain e-mail address' },
      });
      const unknown = { status: 404, body: { detail: 'User not found' } };
      expect(await post('forgot-password', { email: lookalike })).toMatchObject(unknown);
      expect(await post('verify-otp', { email: lookalike, otp: '000000' })).toMatchObject(unknown);
      expect(
        await post('reset-password', { email: lookalike, otp: '000000', new_password: 'x' }),
      ).toMatchObject(unknown);
      expect(await logIn(lookalike, 'secret')).toBe(404);
      expect(await record(email)).toEqual(before);
      expect(services.mailbox.mails).toHaveLength(mails);
    },
  );

  test('that the collation equates with a stored look-alike is refused, and nothing is overwritten', async () => {
    const email = '\u212arista@example.com';
    await services.db.users.insertOne({
      email,
      password: 'old',
      name: 'Krista',
      account_status: 'paused',
      payment_status: 'pending',
      'user_created_at(DATE)': '2020-01-01',
      subscription_id: 'free',
      subscription_date: '2020-01-01',
    });
    const before = await record(email);
    const { status, body } = await signUp({ email: 'krista@example.com' });
    expect({ status, body }).toEqual({ status: 400, body: { detail: 'Email already registered' } });
    expect(await record(email)).toEqual(before);
    expect(mailsTo(email)).toEqual([]);
  });
});

describe('the password', () => {
  test.each([
    ['one byte', 'x'],
    ['surrounding spaces', '  secret  '],
    ['control characters', 'a\u0000b\r\nc\td'],
    ['characters that a form encodes', 'a+b %41&c=d;e'],
    ['an operator', '{"$gt":""}'],
    ['an expression', '$$REMOVE'],
    ['a decomposed letter', 'e\u0301'],
    ['1024 bytes', 'x'.repeat(1024)],
    ['1024 bytes of two-byte letters', 'é'.repeat(512)],
    ['1024 bytes of three-byte letters and one', `${'€'.repeat(341)}a`],
    ['1024 bytes of four-byte letters', '😀'.repeat(256)],
  ])('%s: logs in exactly as submitted', async (_what, password) => {
    const email = newEmail();
    expect((await signUp({ email, password }, hashing)).status).toBe(200);
    expect((await record(email, hashing))?.password).toMatch(ARGON2ID);
    expect(await logIn(email, password, hashing)).toBe(403);
    for (const other of [`${password} `, password.slice(0, -1), password.normalize('NFC'), password.trim()])
      if (other !== password && other !== '') expect(await logIn(email, other, hashing)).toBe(401);
  });

  test.each([
    ['1025 bytes', 'x'.repeat(1025)],
    ['1025 bytes of two-byte letters and one', `${'é'.repeat(512)}a`],
    ['1026 bytes of three-byte letters', '€'.repeat(342)],
    ['1028 bytes of four-byte letters', '😀'.repeat(257)],
  ])('%s are refused', async (_what, password) => {
    const email = newEmail();
    const { status, body } = await signUp({ email, password });
    expect({ status, body }).toEqual({
      status: 400,
      body: { detail: 'password must not be longer than 1024 bytes' },
    });
    expect(await record(email)).toBeNull();
  });

  test('PASSWORD_STORAGE=plain stores as submitted', async () => {
    const email = newEmail();
    expect((await signUp({ email, password: ' $secret ' })).status).toBe(200);
    expect((await record(email))?.password).toBe(' $secret ');
    expect(await logIn(email, ' $secret ')).toBe(403);
    expect(await logIn(email, '$secret')).toBe(401);
  });

  test('PASSWORD_STORAGE=plain hashes a submitted hash, so that nobody can plant one', async () => {
    const email = newEmail();
    const known = newEmail();
    await signUp({ email: known, password: 'known' }, hashing);
    const planted = (await record(known, hashing))?.password as string;
    expect((await signUp({ email, password: planted })).status).toBe(200);
    expect(await logIn(email, 'known')).toBe(401);
    expect(await logIn(email, planted)).toBe(403);
  });
});

describe('the name', () => {
  test.each([
    '<b onclick="x">MARK</b>',
    '=?utf-8?q?MARK?=',
    'MARK 😀 \u200f',
    '{{MARK}} %MARK <%= MARK %>',
    `MARK${'x'.repeat(196)}`,
    '$$REMOVE',
  ])('%j is stored as submitted and never mailed', async (name) => {
    const email = newEmail();
    expect((await signUp({ email, name })).status).toBe(200);
    expect((await record(email))?.name).toBe(name);
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.recipients).toEqual([email]);
    expect(JSON.stringify(mail?.content)).not.toMatch(/MARK|eve@|REMOVE/);
    expect(mail?.content.headers.map(({ key }) => key)).not.toContain('bcc');
  });

  test.each([
    'Ada\r\nBcc: eve@example.com',
    'Ada\u0000',
    'Ada\u007f',
    'a\u2028da',
    'Ada \u202enimda',
    '\u2066Ada',
  ])('%j is refused, and nothing is stored or mailed', async (name) => {
    const email = newEmail();
    expect(await signUp({ email, name })).toMatchObject({
      status: 400,
      body: { detail: 'name must not contain control characters or bidirectional overrides' },
    });
    expect(await record(email)).toBeNull();
    expect(mailsTo(email)).toEqual([]);
  });

  test('has at most 200 characters; a longer one is refused, and nothing is stored or mailed', async () => {
    const email = newEmail();
    expect(await signUp({ email, name: 'x'.repeat(201) })).toMatchObject({
      status: 400,
      body: { detail: 'name must not be longer than 200 characters' },
    });
    expect(await record(email)).toBeNull();
    expect(mailsTo(email)).toEqual([]);
    expect((await signUp({ email, name: '😀'.repeat(200) })).status).toBe(200);
  });
});

test.each(['email', 'password', 'name'])('requires %s and does nothing without it', async (field) => {
  const email = newEmail();
  const { [field]: _, ...rest } = { email, password: 'secret', name: 'Ada' } as Record<string, string>;
  for (const form of [rest, { ...rest, [field]: '' }]) {
    const { status, body } = await post('signup', form);
    expect({ status, body }).toEqual({ status: 400, body: { detail: `${field} is required` } });
  }
  expect(await record(email)).toBeNull();
  expect(mailsTo(email)).toEqual([]);
});

describe('an unverified account', () => {
  test('gets a new code, password and name, and nothing else', async () => {
    const email = newEmail();
    await signUp({ email, password: 'planted', name: 'Eve' });
    const before = await record(email);
    const oldCode = mailedCode(services.mailbox, email);
    const wrong = oldCode === '000000' ? '000001' : '000000';
    await post('verify-otp', { email, otp: wrong });
    services.clock.advance(7);

    const { status, body } = await signUp({ email, password: 'mine', name: 'Ada' });
    expect(status).toBe(200);
    const code = mailedCode(services.mailbox, email);
    expect(await record(email)).toStrictEqual({
      ...before,
      password: 'mine',
      name: 'Ada',
      otp: code,
      otp_expiration: services.clock.seconds() + 60,
      otp_attempt: decodeToken(body.token).header.attempt,
      otp_wrong_guesses: 0,
      otp_wrong_guess_times: [services.clock.seconds() - 7],
      otp_mails: [services.clock.seconds() - 7, services.clock.seconds()].map((at) => ({
        at,
        network: '127.0.0.1',
      })),
      otp_unused: [
        ...(before?.otp_unused ?? []),
        {
          at: services.clock.seconds(),
          network: '127.0.0.1',
          attempt: decodeToken(body.token).header.attempt,
        },
      ],
      signup_attempts: [
        ...(before?.signup_attempts ?? []),
        {
          id: decodeToken(body.token).header.attempt,
          at: services.clock.seconds(),
          password: 'mine',
          name: 'Ada',
        },
      ],
      unverified_since: new Date(services.clock.now()),
      otp_verdict: 'wrong',
    });
    expect(mailsTo(email)).toHaveLength(2);
    if (oldCode !== code) expect((await post('verify-otp', { email, otp: oldCode })).status).toBe(400);
    expect((await post('verify-otp', { email, otp: code })).status).toBe(200);
    expect(await logIn(email, 'planted')).toBe(401);
    expect(await logIn(email, 'mine')).toBe(200);
  });

  test('gets ten mails an hour, then 429 until the oldest is an hour old', async () => {
    const email = newEmail();
    for (let mail = 0; mail < 10; mail += 1) {
      expect((await signUp({ email }, services, mail < 5 ? 1 : 2)).status).toBe(200);
      services.clock.advance(60);
    }
    const before = await record(email);
    const { status, body, headers } = await signUp({ email, password: 'other', name: 'Eve' }, services, 3);
    expect({ status, body }).toEqual({ status: 429, body: { detail: 'Too many requests' } });
    expect(headers.get('retry-after')).toBe('3000');
    services.clock.advance(2999);
    const early = await signUp({ email }, services, 3);
    expect(early.status).toBe(429);
    expect(early.headers.get('retry-after')).toBe('1');
    expect(await record(email)).toEqual(before);
    expect(mailsTo(email)).toHaveLength(10);

    services.clock.advance(1);
    expect((await signUp({ email }, services, 3)).status).toBe(200);
    // The next mail is allowed when the second one is an hour old.
    const next = await signUp({ email }, services, 3);
    expect(next.status).toBe(429);
    expect(next.headers.get('retry-after')).toBe('60');
    expect(mailsTo(email)).toHaveLength(11);
  });

  test.each([
    ['plain', rounds(24), () => services],
    ['hashed', rounds(6), () => hashing],
  ])(
    'never becomes unverified when a signup races its verification (%s passwords)',
    async (_storage, races, pick) => {
      const where = pick();
      for (let round = 0; round < races; round += 1) {
        const email = newEmail();
        await signUp({ email, password: 'first' }, where);
        const otp = mailedCode(where.mailbox, email);
        const race = [
          () => post('verify-otp', { email, otp }, where),
          () => signUp({ email, password: 'second' }, where),
          () => signUp({ email, password: 'third' }, where),
        ];
        // Each round starts with a different one.
        const turned = race.map((_, index) => (index + round) % race.length);
        const answers = await Promise.all(turned.map((index) => race[index]?.()));
        const verified = answers[turned.indexOf(0)];
        const current = await record(email, where);
        if (verified?.status === 200) {
          expect(current).toMatchObject({
            verified: true,
            account_status: 'active',
            user_id: verified.body.user_id,
          });
        } else {
          expect(verified?.body).toStrictEqual({ detail: 'Invalid OTP' });
          expect(current).toMatchObject({ verified: false, account_status: 'paused' });
          expect(current).not.toHaveProperty('user_id');
        }
        for (const index of [1, 2]) {
          const answer = answers[turned.indexOf(index)];
          if (answer?.status !== 200)
            expect(answer).toMatchObject({ status: 400, body: { detail: 'Email already registered' } });
        }
      }
    },
  );
});

describe('an active account', () => {
  test('is refused; nothing is changed or mailed', async () => {
    const email = newEmail();
    await activate(email);
    const before = await record(email);
    for (const spelling of [email, email.toUpperCase(), ` ${email} `]) {
      const { status, body } = await signUp({ email: spelling, password: 'eve', name: 'Eve' });
      expect({ status, body }).toEqual({ status: 400, body: { detail: 'Email already registered' } });
    }
    expect(await record(email)).toEqual(before);
    expect(mailsTo(email)).toHaveLength(1);
    expect(await logIn(email, 'secret')).toBe(200);
  });
});
