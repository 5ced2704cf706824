import { randomUUIDv7 } from 'node:crypto';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { UpdateFilter } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { followChangedAddresses } from '../../../services/user/account/follow-changed-address.ts';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { failuresAt, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { type Answered, decodeToken, postForm, postJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { mailedCode } from '../../fixtures/services.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';
import { newAddress, type Person, personOf } from './address-changes.ts';
import { otherThan } from './codes.ts';

let service: SsoService;
let ada: Person;
let email: string;
beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());
afterEach(() => vi.restoreAllMocks());
beforeEach(async () => {
  ada = await personOf(service);
  email = newAddress();
});

const failure = failuresAt(() => service.clock.now());
const subjectsTo = (address: string) =>
  service.mailbox.mails
    .filter(({ recipients }) => recipients.includes(address))
    .map(({ content }) => content.subject);
const mailed = () => mailedCode(service.mailbox, email);
const reasonOf = ({ status, body }: Answered) => ({
  status,
  code: body.error?.code,
  details: body.error?.details,
});

const sent = { status: 200, body: { message: 'Code sent' } };
const wrong = { status: 400, code: 'INVALID_FORMAT', details: 'Invalid or expired OTP' };
const invalidToken = { status: 401, code: 'INVALID_TOKEN', details: 'Invalid token' };

describe('POST /api/v1/users/me/email', () => {
  test('mails a code to the new address and a notice to the current one', async () => {
    const events = await eventsOf(service, async () =>
      expect(outcome(await ada.request(email))).toStrictEqual(sent),
    );
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'email.request',
        user_id: ada.user_id,
        email: ada.email.toLowerCase(),
        before: { email: ada.email },
        after: { email },
      }),
    ]);
    expect(mailed()).toMatch(/^\d{6}$/);
    expect(subjectsTo(email)).toEqual(['Confirm your new e-mail address']);
    await eventually(() => expect(subjectsTo(ada.email)).toHaveLength(1));
    expect(await ada.stored()).toMatchObject({ email: ada.email });
    expect(await ada.status()).toBe(200);
  });

  test('mails in the language of the account', async () => {
    const person = await personOf(service, { language: 'de' });
    await person.request(email);
    expect(subjectsTo(email)).toEqual(['Bestätigen Sie Ihre neue E-Mail-Adresse']);
  });

  test('answers alike for the address of an account, whose mailbox alone is told', async () => {
    const grace = await newMember(service.db);
    const free = await ada.request(email);
    const taken = await ada.request(grace.email.toUpperCase());
    expect(outcome(taken)).toStrictEqual(outcome(free));
    expect(subjectsTo(grace.email.toUpperCase())).toEqual([]);
    expect(subjectsTo(grace.email)).toEqual(['This address has an account']);
    const [mail] = service.mailbox.mails.filter(({ recipients }) => recipients.includes(grace.email));
    expect(mail?.content.text).not.toMatch(/\d{6}|Ada|Person/);
    const { code = '' } = (await ada.stored())?.email_change ?? {};
    expect(reasonOf(await ada.verify(code))).toMatchObject({ status: 409, code: 'DUPLICATE_RESOURCE' });
    expect(await ada.stored()).toMatchObject({ email: ada.email });
  });

  test.each([
    [
      'the current address',
      () => ada.email.toUpperCase(),
      'email must be another address than the current one',
    ],
    ['no address', () => 'ada', 'email must be a plain e-mail address'],
    ['two addresses', () => 'ada@example.com, eve@example.com', 'email must be a plain e-mail address'],
    ['a line break', () => 'ada@example.com\r\nBcc: eve@example.com', 'email must be a plain e-mail address'],
    ['a local domain', () => 'ada@localhost', 'email must have a public domain'],
  ])('refuses %s', async (_, address, details) => {
    expect(reasonOf(await ada.request(address()))).toEqual({ status: 400, code: 'INVALID_FORMAT', details });
    expect(await ada.stored()).not.toHaveProperty('email_change');
  });

  test('refuses a session that is not fresh and changes nothing', async () => {
    const before = await ada.stored();
    service.clock.advance(601);
    for (const answer of [await ada.request(email), await ada.verify('123456')])
      expect(outcome(answer)).toEqual(
        failure(answer, 403, 'CONFIRMATION_REQUIRED', 'Please confirm that it is you', {
          methods: ['password'],
        }),
      );
    expect(await ada.stored()).toEqual(before);
    expect(subjectsTo(email)).toEqual([]);
  });

  test('a further call replaces the code', async () => {
    await ada.request(email);
    const first = mailed();
    const other = newAddress();
    await ada.request(other);
    const second = mailedCode(service.mailbox, other);
    if (first !== second) expect(reasonOf(await ada.verify(first))).toEqual(wrong);
    expect((await ada.verify(second)).status).toBe(200);
    expect(await ada.stored()).toMatchObject({ email: other });
  });

  test('mails ten codes of one account within an hour', async () => {
    for (let turn = 0; turn < 10; turn += 1) expect((await ada.request(newAddress())).status).toBe(200);
    expect(outcome(await ada.request(email))).toEqual(rateLimited(10, 3600, service.clock.now()));
    expect(subjectsTo(email)).toEqual([]);
  });

  test('a call that fails before its code is stored does not count', async () => {
    const { users, budgets } = service.db;
    const write = users.updateOne.bind(users);
    vi.spyOn(users, 'updateOne').mockImplementation(async (...call) => {
      if ('email_change' in ((call[1] as UpdateFilter<User>).$set ?? {})) throw new Error('killed');
      return write(...call);
    });
    expect((await ada.request(email)).status).toBe(500);
    for (const key of [
      `addresses of ${ada._id}`,
      `addresses of ${ada._id} in a day`,
      `addresses at ${email}`,
    ])
      expect(await budgets.findOne({ key })).toMatchObject({ uses: [] });
  });

  test('mails twenty codes to one mailbox within a day, whatever the accounts', async () => {
    const address = (turn: number) => `grace+${turn}@mailbox.example`;
    const limited = await startSsoService({ env: { TRUST_PROXY: 'loopback' } });
    try {
      const statuses: number[] = [];
      for (let turn = 0; turn < 22; turn += 1) {
        const { authorization } = await personOf(limited);
        const headers = { authorization, 'x-forwarded-for': `203.0.${turn}.1` };
        limited.clock.advance(500);
        const { status } = await postJson(
          `${limited.url}/api/v1/users/me/email`,
          { email: address(turn) },
          headers,
        );
        statuses.push(status);
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(20);
      expect(statuses.slice(-2)).toEqual([429, 429]);
    } finally {
      await limited.stop();
    }
  });

  test('is never for another account, whatever the body names', async () => {
    const grace = await newMember(service.db);
    const { user_id, _id } = grace;
    const body = { email, user_id, _id, verified: true, account: _id };
    await postJson(`${service.url}/api/v1/users/me/email`, body, { authorization: ada.authorization });
    const confirmation = { code: mailed(), user_id, email: grace.email };
    const { status } = await postJson(`${service.url}/api/v1/users/me/email/verify`, confirmation, {
      authorization: ada.authorization,
    });
    expect(status).toBe(200);
    expect(await service.db.users.findOne({ _id })).toEqual(grace);
    expect(await ada.stored()).toMatchObject({ email, user_id: ada.user_id });
  });
});

describe('POST /api/v1/users/me/email/verify', () => {
  test('changes the address, ends the other sessions and answers a token of the same one', async () => {
    const other = ada.session();
    await ada.request(email);
    const events = await eventsOf(service, async () => {
      const { status, body, headers } = await ada.verify(mailed());
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          access_token: expect.any(String),
          token_type: 'Bearer',
          expires_in: expect.any(Number),
          user_id: ada.user_id,
        },
      });
      expect(headers.get('cache-control')).toBe('no-store');
      const before = decodeToken(ada.authorization.slice(7));
      expect(decodeToken(body.access_token)).toEqual({
        header: before.header,
        payload: { ...before.payload, email },
      });
      expect(await ada.status(`Bearer ${body.access_token}`)).toBe(200);
    });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'email.change',
        user_id: ada.user_id,
        email,
        before: { email: ada.email },
        after: { email },
      }),
    ]);
    expect([await ada.status(), await ada.status(other), await ada.status(ada.session(email))]).toEqual([
      401, 401, 200,
    ]);
    const logIn = async (address: string) =>
      (await postForm(`${service.login}/v2/login`, { email: address, password: 'secret' })).status;
    expect([await logIn(ada.email), await logIn(email)]).toEqual([404, 200]);
    expect(await ada.stored()).not.toHaveProperty('address_changed');
  });

  test('refuses a wrong, malformed or absent code', async () => {
    expect(reasonOf(await ada.verify('123456'))).toEqual(wrong);
    await ada.request(email);
    for (const code of [otherThan(mailed()), mailed().slice(1), 'é23456', '٠١٢٣٤٥', `${mailed()}0`])
      expect(reasonOf(await ada.verify(code))).toEqual(wrong);
    expect(await ada.stored()).toMatchObject({ email: ada.email });
  });

  test('ignores spaces in the code', async () => {
    await ada.request(email);
    expect((await ada.verify(` ${mailed().slice(0, 3)} ${mailed().slice(3)}`)).status).toBe(200);
  });

  test('refuses a code after 15 minutes, also in a session that is fresh', async () => {
    await ada.request(email);
    service.clock.advance(15 * 60);
    expect(reasonOf(await ada.verify(mailed(), ada.session()))).toEqual(wrong);
  });

  test('refuses the right code after five wrong ones', async () => {
    await ada.request(email);
    for (let turn = 1; turn <= 5; turn += 1)
      expect(reasonOf(await ada.verify(otherThan(mailed(), turn)))).toEqual(wrong);
    expect(reasonOf(await ada.verify(mailed()))).toEqual(wrong);
    expect(await ada.stored()).toMatchObject({ email: ada.email, email_change: { wrong_guesses: 5 } });
  });

  test('counts guesses in parallel: at most five are compared', async () => {
    await ada.request(email);
    const guesses = Array.from({ length: 40 }, (_, turn) => otherThan(mailed(), turn + 1));
    await Promise.all(guesses.map((guess) => ada.verify(guess)));
    expect(await ada.stored()).toMatchObject({ email: ada.email, email_change: { wrong_guesses: 5 } });
    expect(reasonOf(await ada.verify(mailed()))).toEqual(wrong);
  });

  test('a code is used once, also twice at once', async () => {
    await ada.request(email);
    const answers = await Promise.all([ada.verify(mailed()), ada.verify(mailed())]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await ada.stored())?.email_undos).toHaveLength(1);
  });

  test('a code of one account changes no other', async () => {
    const eve = await personOf(service);
    await ada.request(email);
    await eve.request(newAddress());
    const { code = '' } = (await eve.stored())?.email_change ?? {};
    if (code !== mailed()) expect(reasonOf(await eve.verify(mailed()))).toEqual(wrong);
    expect(await eve.stored()).toMatchObject({ email: eve.email });
  });

  test.each([
    ['the end of the session', { sessions_valid_from: new Date(8.64e15) }, invalidToken],
    ['a disabled account', { account_status: 'disabled' as const }, invalidToken],
    ['another change', { email: 'another@elsewhere.example' }, invalidToken],
    [
      'another request',
      {
        email_change: {
          id: 'x',
          email: 'eve@x.example',
          code: '0',
          expires_at: new Date(0),
          wrong_guesses: 0,
        },
      },
      wrong,
    ],
  ])('%s between the check of the bearer and the write wins', async (_, fields, expected) => {
    await ada.request(email);
    const { users } = service.db;
    const write = users.findOneAndUpdate.bind(users) as (...call: unknown[]) => Promise<never>;
    const spy = vi.spyOn(users, 'findOneAndUpdate').mockImplementation(async (...call: unknown[]) => {
      // The notices are claimed with the same method.
      if ('email_change.id' in (call[0] as object)) {
        spy.mockRestore();
        await users.updateOne({ _id: ada._id }, { $set: fields });
      }
      return write(...call);
    });
    expect(reasonOf(await ada.verify(mailed()))).toEqual(expected);
    expect(await ada.stored()).toMatchObject({ email: ada.email, ...fields });
    expect(await ada.stored()).not.toHaveProperty('email_undos');
  });

  test('a signup that is verified first keeps the address', async () => {
    await ada.request(email);
    const code = mailed();
    await postForm(`${service.url}/v2/signup`, { email, password: 'of Eve', name: 'Eve' });
    const { body } = await postForm(`${service.url}/v2/verify-otp`, { email, otp: mailed() });
    expect(reasonOf(await ada.verify(code))).toEqual({
      status: 409,
      code: 'DUPLICATE_RESOURCE',
      details: 'Another account has this address',
    });
    expect(await ada.stored()).toMatchObject({ email: ada.email });
    expect(await service.db.users.findOne({ email })).toMatchObject({ user_id: body.user_id });
    expect(await ada.status()).toBe(200);
  });

  test('takes the address over from a signup that was never verified', async () => {
    await ada.request(email);
    const code = mailed();
    await postForm(`${service.url}/v2/signup`, { email, password: 'of Eve', name: 'Eve' });
    const otp = mailed();
    expect((await ada.verify(code)).status).toBe(200);
    expect(await service.db.users.countDocuments({ email })).toBe(1);
    await postForm(`${service.url}/v2/verify-otp`, { email, otp });
    expect(await ada.stored()).toMatchObject({ email, name: 'Person', password: 'secret' });
  });

  test('a signup and a change at once give the address to one of them', async () => {
    await ada.request(email);
    const code = mailed();
    const [change] = await Promise.all([
      ada.verify(code),
      postForm(`${service.url}/v2/signup`, { email, password: 'of Eve', name: 'Eve' }),
    ]);
    const holders = await service.db.users.find({ email }).toArray();
    expect(holders).toHaveLength(1);
    expect(String(holders[0]?._id) === String(ada._id)).toBe(change.status === 200);
  });

  test('uses up codes that were mailed to the former address', async () => {
    await postForm(`${service.url}/v2/forgot-password`, { email: ada.email });
    const otp = mailedCode(service.mailbox, ada.email);
    await ada.change(email);
    for (const address of [ada.email, email]) {
      const form = { email: address, otp, new_password: 'eve' };
      expect((await postForm(`${service.url}/v2/reset-password`, form)).status).toBeGreaterThanOrEqual(400);
    }
    expect(await ada.stored()).toMatchObject({ password: 'secret' });
  });

  test('the session goes on where it was confirmed, and is refreshed', async () => {
    service.clock.advance(700);
    const { body } = await postJson(
      `${service.login}/api/v1/auth/confirm`,
      { password: 'secret' },
      { authorization: ada.authorization },
    );
    const changed = await ada.change(email, `Bearer ${body.access_token}`);
    const header = decodeToken(body.access_token).header;
    expect(decodeToken(changed.slice(7)).header).toEqual(header);
    const { status } = await postJson(`${service.login}/api/v1/auth/refresh`, {}, { authorization: changed });
    expect(status).toBe(200);
  });

  test('the gateway that forwards it refuses the former token at once', async () => {
    const gateway = await startGateway({
      env: { USER_SERVICE_URL: service.url, LOGIN_SERVICE_URL: service.login },
      clock: service.clock,
      database: service.db as never,
    });
    try {
      const at = (path: string, body: unknown) =>
        postJson(`${gateway.url}/api/v1/users/me/${path}`, body, { authorization: ada.authorization });
      expect((await at('email', { email })).status).toBe(200);
      expect((await at('email/verify', { code: mailed() })).status).toBe(200);
      expect((await at('email', { email: newAddress() })).status).toBe(401);
    } finally {
      await gateway.stop();
    }
  });
});

describe('addresses that an organization manages', () => {
  const managed = (domain: string) => ({
    status: 403,
    code: 'FORBIDDEN',
    details: `Addresses at ${domain} are managed by their organization`,
  });
  let domain: string;
  beforeEach(async () => {
    domain = `managed-${randomUUIDv7()}.example`;
    await service.newOrganization({ domain });
  });

  test('a new address in a verified domain is refused', async () => {
    expect(reasonOf(await ada.request(`ada@${domain}`))).toEqual(managed(domain));
    expect(await ada.stored()).not.toHaveProperty('email_change');
  });

  test('a current address in a verified domain is refused', async () => {
    const grace = await personOf(service, { email: `grace@${domain}` });
    expect(reasonOf(await grace.request(email))).toEqual(managed(domain));
  });

  test('a domain that is verified before the code is entered is refused', async () => {
    const later = `later-${domain}`;
    await ada.request(`ada@${later}`);
    const { organization_id } = await service.newOrganization({ domain: null });
    await service.addDomain(organization_id, later);
    const code = mailedCode(service.mailbox, `ada@${later}`);
    expect(reasonOf(await ada.verify(code))).toEqual(managed(later));
    expect(await ada.stored()).toMatchObject({ email: ada.email });
  });

  test('an account that SCIM manages is refused, until SCIM deletes the user', async () => {
    const organization = await service.newOrganization({ domain: null });
    const { connection_id } = await service.newConnection(organization, { protocol: 'ldap' });
    const at = new Date(service.clock.now());
    const identity_id = randomUUIDv7();
    await service.db.ssoIdentities.insertOne({
      identity_id,
      connection_id,
      user_id: ada.user_id,
      email: ada.email,
      created_at: at,
      updated_at: at,
      scim: {
        user_name: 'ada',
        user_name_key: 'ada',
        external_id: null,
        active: true,
        attributes: {},
        version: 1,
      },
    });
    expect(reasonOf(await ada.request(email))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    await service.db.ssoIdentities.updateOne({ identity_id }, { $unset: { 'scim.user_name_key': true } });
    expect((await ada.request(email)).status).toBe(200);
  });
});

describe('what holds the address follows', () => {
  const invite = async (place: Awaited<ReturnType<SsoService['newOrganization']>>, address: string) => {
    const path = `/api/v1/organizations/${place.organization_id}/departments/${place.department_id}/invitations`;
    expect((await place.owner.call('POST', path, { email: address, role: 'Viewer' })).status).toBe(201);
  };
  const departmentsOf = () =>
    service.db.memberships.distinct('department_id', { user_id: ada.user_id }) as Promise<string[]>;

  test('invitations to the new address are accepted when it is verified, and no earlier', async () => {
    const place = await service.newOrganization({ domain: null });
    await invite(place, email);
    await ada.request(email);
    expect(await departmentsOf()).toEqual([]);
    expect((await ada.verify(mailed())).status).toBe(200);
    expect(await departmentsOf()).toEqual([place.department_id]);
  });

  test('memberships forget the former address, and invitations to it wait for whoever has it', async () => {
    const place = await service.newOrganization({ domain: null });
    await invite(place, email);
    const changed = await ada.change(email);
    const other = await service.newOrganization({ domain: null });
    await invite(other, email);
    await ada.change(newAddress(), changed);
    expect(await service.db.memberships.findOne({ user_id: ada.user_id })).not.toHaveProperty('email');
    expect(await service.db.memberships.findOne({ email })).not.toHaveProperty('user_id');
  });

  test('a kill after the change is completed by the next start', async () => {
    const place = await service.newOrganization({ domain: null });
    await invite(place, email);
    await ada.request(email);
    vi.spyOn(service.db.memberships, 'updateMany').mockRejectedValueOnce(new Error('killed'));
    const { status, body } = await ada.verify(mailed());
    expect(status).toBe(200);
    expect(await ada.stored()).toMatchObject({ email, address_changed: { accepts: true } });
    expect(await departmentsOf()).toEqual([]);

    await followChangedAddresses(service.db, service.clock.now());
    expect(await departmentsOf()).toEqual([place.department_id]);
    expect(await ada.stored()).not.toHaveProperty('address_changed');
    expect(await ada.status(`Bearer ${body.access_token}`)).toBe(200);
  });

  test('bearers of an account with the former address do not open this one', async () => {
    await ada.change(email);
    const eve = await newMember(service.db, { email: ada.email });
    const bearer = bearerOf({ email: ada.email, user_id: ada.user_id }, service.clock.now());
    expect(await ada.status(bearer)).toBe(401);
    expect(await ada.status(bearerOf(eve, service.clock.now()))).toBe(200);
  });
});
