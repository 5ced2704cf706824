import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { followChangedAddresses } from '../../../services/user/account/follow-changed-address.ts';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { type Answered, postForm, send } from '../../fixtures/http.ts';
import { mailedCode } from '../../fixtures/services.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';
import { type Employer, newEmployer } from '../provisioning/provisioner.ts';
import { newClient } from '../scim/scim-client.ts';
import { mailedUndo, newAddress, type Person, personOf, undo as undoAt } from './address-changes.ts';

let service: SsoService;
let ada: Person;
/** The address to which the account of Ada is changed. */
let evil: string;
beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ada = await personOf(service);
  evil = newAddress();
});

const undo = (token: string, url = service.url) => undoAt(url, token);
const linkTo = (email: string) => mailedUndo(service, email);
const reasonOf = ({ status, body }: Answered) => ({
  status,
  code: body.error?.code,
  details: body.error?.details,
});
const logIn = async (email: string, password: string) =>
  (await postForm(`${service.login}/v2/login`, { email, password })).status;

const restored = { status: 200, body: { message: 'Address restored' } };
const noLink = { status: 400, code: 'INVALID_FORMAT', details: 'The link is not valid any more' };

describe('POST /api/v1/users/email/undo', () => {
  test('sets the former address back, ends every session and makes the password invalid', async () => {
    const changed = await ada.change(evil);
    const link = await linkTo(ada.email);
    const events = await eventsOf(service, async () =>
      expect(outcome(await undo(link))).toStrictEqual(restored),
    );
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'email.undo',
        user_id: ada.user_id,
        email: ada.email.toLowerCase(),
        before: { email: evil },
        after: { email: ada.email },
      }),
    ]);
    expect(await ada.stored()).toMatchObject({ email: ada.email, email_undos: [] });
    expect(await ada.stored()).not.toHaveProperty('address_changed');
    expect([await ada.status(changed), await ada.status()]).toEqual([401, 401]);
    expect([await logIn(ada.email, 'secret'), await logIn(evil, 'secret')]).toEqual([401, 404]);
    await eventually(() =>
      expect(service.mailbox.mails.map(({ content }) => content.subject)).toContain(
        'The e-mail address of your account was restored',
      ),
    );
  });

  test('the person then chooses a new password', async () => {
    await ada.change(evil);
    await undo(await linkTo(ada.email));
    await postForm(`${service.url}/v2/forgot-password`, { email: ada.email });
    const otp = mailedCode(service.mailbox, ada.email);
    const form = { email: ada.email, otp, new_password: 'new' };
    expect((await postForm(`${service.url}/v2/reset-password`, form)).status).toBe(200);
    expect(await logIn(ada.email, 'new')).toBe(200);
  });

  test('needs no bearer at the gateway, which throttles networks', async () => {
    await ada.change(evil);
    const gateway = await startGateway({
      env: {
        USER_SERVICE_URL: service.url,
        LOGIN_SERVICE_URL: service.login,
        RATE_LIMIT_ANONYMOUS_PER_MINUTE: '2',
      },
      clock: service.clock,
      database: service.db as never,
    });
    try {
      expect(reasonOf(await undo('x', gateway.url))).toEqual(noLink);
      expect(outcome(await undo(await linkTo(ada.email), gateway.url))).toStrictEqual(restored);
      expect((await undo('x', gateway.url)).status).toBe(429);
      service.clock.advance(61);
      expect((await send(`${gateway.url}/api/v1/users/email/undo`)).status).toBe(401);
    } finally {
      await gateway.stop();
    }
  });

  test('works once, also twice at once', async () => {
    await ada.change(evil);
    const link = await linkTo(ada.email);
    const answers = await Promise.all([undo(link), undo(link)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(reasonOf(await undo(link))).toEqual(noLink);
  });

  test('is refused after three days, and works until then', async () => {
    const grace = await personOf(service);
    await ada.change(evil);
    await grace.change(newAddress());
    const [late, early] = [await linkTo(ada.email), await linkTo(grace.email)];
    service.clock.advance(3 * 86_400 - 60);
    expect(outcome(await undo(early))).toStrictEqual(restored);
    service.clock.advance(61);
    expect(reasonOf(await undo(late))).toEqual(noLink);
    expect(await ada.stored()).toMatchObject({ email: evil });
  });

  test('the stored time counts as well as that of the token', async () => {
    await ada.change(evil);
    const link = await linkTo(ada.email);
    await service.db.users.updateOne(
      { _id: ada._id },
      { $set: { 'email_undos.0.until': new Date(service.clock.now()) } },
    );
    expect(reasonOf(await undo(link))).toEqual(noLink);
  });

  test.each(['', 'x', 'a.b.c'])('refuses %j', async (token) => {
    expect((await undo(token)).status).toBe(400);
  });

  test('accepts no other token, and its token is no bearer', async () => {
    const changed = await ada.change(evil);
    expect(reasonOf(await undo(changed.slice(7)))).toEqual(noLink);
    const link = await linkTo(ada.email);
    expect(await ada.status(`Bearer ${link}`)).toBe(401);
    const [header, , signature] = link.split('.');
    const eve = await personOf(service);
    const { change } = JSON.parse(Buffer.from(link.split('.')[1] ?? '', 'base64url').toString());
    const forged = Buffer.from(
      JSON.stringify({ account: eve._id.toHexString(), change, exp: 9_999_999_999 }),
    ).toString('base64url');
    expect(reasonOf(await undo(`${header}.${forged}.${signature}`))).toEqual(noLink);
  });

  test('is 409 if the address has another account by now, and works once it is free', async () => {
    await ada.change(evil);
    const link = await linkTo(ada.email);
    const eve = await personOf(service, { email: ada.email });
    expect(reasonOf(await undo(link))).toEqual({
      status: 409,
      code: 'DUPLICATE_RESOURCE',
      details: 'Another account has this address by now',
    });
    expect(await ada.stored()).toMatchObject({ email: evil });
    await service.db.users.deleteOne({ _id: eve._id });
    expect(outcome(await undo(link))).toStrictEqual(restored);
  });

  test('takes the address back from a signup that was never verified', async () => {
    await ada.change(evil);
    const link = await linkTo(ada.email);
    await postForm(`${service.url}/v2/signup`, { email: ada.email, password: 'of Eve', name: 'Eve' });
    expect(outcome(await undo(link))).toStrictEqual(restored);
    expect(await service.db.users.countDocuments({ email: ada.email })).toBe(1);
    expect(await ada.stored()).toMatchObject({ email: ada.email });
  });

  test('is refused once an organization manages the address that it restores', async () => {
    const domain = 'undone.example';
    ada = await personOf(service, { email: `ada@${domain}` });
    await ada.change(evil);
    const { organization_id } = await service.newOrganization({ domain: null });
    await service.addDomain(organization_id, domain);
    expect(reasonOf(await undo(await linkTo(ada.email)))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(await ada.stored()).toMatchObject({ email: evil });
  });

  test('a kill after the change is completed by the next start', async () => {
    await ada.change(evil);
    const link = await linkTo(ada.email);
    vi.spyOn(service.db.memberships, 'updateMany').mockRejectedValueOnce(new Error('killed'));
    expect((await undo(link)).status).toBe(500);
    expect(await ada.stored()).toMatchObject({ email: ada.email, address_changed: { at: expect.any(Date) } });
    await followChangedAddresses(service.db, service.clock.now());
    expect(await ada.stored()).not.toHaveProperty('address_changed');
  });
});

describe('a second factor', () => {
  const factors = ['second_factor', 'pending_factor', 'factor_reset', 'factor_guesses'];
  const kinds = async () => (await ada.stored())?.notices?.map(({ kind }) => kind) ?? [];
  const factorOf = (enrolled_at: Date) => ({
    id: 'enrollment',
    secret: 'sealed',
    enrolled_at,
    last_step: 0,
    recovery_codes: [],
  });
  const enroll = (at: number, fields: object = {}) =>
    service.db.users.updateOne(
      { _id: ada._id },
      {
        $set: {
          second_factor: factorOf(new Date(at)),
          pending_factor: { id: 'pending', secret: 'sealed', created_at: new Date(at) },
          ...fields,
        },
      },
    );

  test('that was enrolled after the change ends, with its notice in the same write', async () => {
    await ada.change(evil);
    const link = await linkTo(ada.email);
    const at = service.clock.now() + 1;
    await enroll(at, {
      factor_reset: { due_at: new Date(at + 60_000), reason: 'of the thief' },
      factor_guesses: [1],
    });
    service.clock.advance(1);
    const write = vi.spyOn(service.db.users, 'findOneAndUpdate');
    const events = await eventsOf(service, () => undo(link));
    // The job that mails notices writes too.
    expect(write.mock.calls.map(([, update]) => update)).toContainEqual(
      expect.objectContaining({
        $unset: expect.objectContaining({ second_factor: true }),
        $push: {
          notices: expect.objectContaining({
            $each: [
              expect.objectContaining({ kind: 'email_change_undone' }),
              expect.objectContaining({ kind: 'totp_disabled', to: ada.email }),
            ],
          }),
        },
      }),
    );
    write.mockRestore();
    for (const field of factors) expect(await ada.stored()).not.toHaveProperty(field);
    expect(events.map(({ action }) => action)).toEqual(['email.undo', 'factor.disable']);
    await eventually(() =>
      expect(
        service.mailbox.mails
          .filter(({ recipients }) => recipients.includes(ada.email))
          .map(({ content }) => content.subject),
      ).toContain('Your account asks for no codes any more'),
    );
  });

  test('that was enrolled before the change stays, and no reset of it', async () => {
    await enroll(service.clock.now(), {
      factor_reset: { due_at: new Date(service.clock.now() + 60_000), reason: 'of the thief' },
    });
    await ada.change(evil);
    const link = await linkTo(ada.email);
    const events = await eventsOf(service, () => undo(link));
    expect(events.map(({ action }) => action)).toEqual(['email.undo']);
    expect(await ada.stored()).toMatchObject({ second_factor: { id: 'enrollment' } });
    for (const field of ['pending_factor', 'factor_reset'])
      expect(await ada.stored()).not.toHaveProperty(field);
    expect(await kinds()).not.toContain('totp_disabled');
  });

  test('that is enrolled while the change is undone ends as well', async () => {
    await ada.change(evil);
    const link = await linkTo(ada.email);
    const write = service.db.users.findOneAndUpdate.bind(service.db.users);
    vi.spyOn(service.db.users, 'findOneAndUpdate').mockImplementationOnce((async (
      ...call: Parameters<typeof write>
    ) => {
      await enroll(service.clock.now() + 1);
      return write(...call);
    }) as unknown as typeof write);
    expect(outcome(await undo(link))).toStrictEqual(restored);
    for (const field of factors) expect(await ada.stored()).not.toHaveProperty(field);
  });
});

describe('once whoever changed the address manages it in an organization of theirs', () => {
  let link: string;
  let employer: Employer;
  beforeEach(async () => {
    employer = await newEmployer(service);
    await service.db.ssoDomains.deleteMany({ organization_id: employer.organization.organization_id });
    await ada.change(employer.email);
    link = await linkTo(ada.email);
    service.clock.advance(60);
    await service.addDomain(employer.organization.organization_id, employer.domain);
  });

  test('the link works', async () => {
    expect(outcome(await undo(link))).toStrictEqual(restored);
  });

  test('the link works after a login at their provider, which no longer opens the account', async () => {
    expect(await employer.logIn()).toMatchObject({ user_id: ada.user_id });
    expect(outcome(await undo(link))).toStrictEqual(restored);
    // The provider vouches for its own address, which has no account any more.
    const { user_id, email } = await employer.logIn();
    expect({ isAda: user_id === ada.user_id, email }).toEqual({ isAda: false, email: employer.email });
  });

  test('the link works after their provider changed the address', async () => {
    await employer.logIn();
    expect(await employer.logIn({ email: `renamed-${employer.email}` })).toMatchObject({
      user_id: ada.user_id,
      email: `renamed-${employer.email}`,
    });
    expect(outcome(await undo(link))).toStrictEqual(restored);
    expect(await ada.stored()).toMatchObject({ email: ada.email });
  });

  test('the link works after SCIM has taken the account and disabled it, and enables it', async () => {
    const client = await newClient(service, employer.organization);
    const { body } = await client.create('ada', {
      userName: employer.email,
      emails: [{ primary: true, value: employer.email }],
    });
    await client.patch(`/Users/${body.id}`, [{ op: 'replace', value: { active: false } }]);
    expect(await ada.stored()).toMatchObject({ account_status: 'disabled' });
    expect(outcome(await undo(link))).toStrictEqual(restored);
    expect(await ada.stored()).toMatchObject({ email: ada.email, account_status: 'active' });
    expect(await ada.stored()).not.toHaveProperty('deprovisioned');
  });

  test('what SCIM linked since the change ends, also after a kill, and the address can change again', async () => {
    const client = await newClient(service, employer.organization);
    await client.create('ada', {
      userName: employer.email,
      emails: [{ primary: true, value: employer.email }],
    });
    const [linked] = await service.db.ssoIdentities.find({ user_id: ada.user_id }).toArray();
    await service.db.ssoSessions.insertOne({
      connection_id: String(linked?.connection_id),
      subject: 'ada',
      user_id: ada.user_id,
      sid: 'a session',
      expires_at: new Date(service.clock.now() + 60_000),
    });
    vi.spyOn(service.db.ssoIdentities, 'deleteMany').mockRejectedValueOnce(new Error('killed'));
    expect((await undo(link)).status).toBe(500);
    await followChangedAddresses(service.db, service.clock.now());
    expect(await service.db.ssoIdentities.countDocuments({ user_id: ada.user_id })).toBe(0);
    expect(await service.db.ssoSessions.countDocuments({ user_id: ada.user_id })).toBe(0);
    expect((await ada.request(newAddress(), ada.session())).status).toBe(200);
  });

  test('SCIM that knew the account before the change refuses it', async () => {
    const client = await newClient(service, employer.organization);
    await client.create('ada', {
      userName: employer.email,
      emails: [{ primary: true, value: employer.email }],
    });
    await service.db.ssoIdentities.updateMany(
      { user_id: ada.user_id },
      { $set: { created_at: new Date(service.clock.now() - 120_000) } },
    );
    expect(reasonOf(await undo(link))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });
});

describe('after a second change', () => {
  let second: string;
  let links: { ofAda: string; ofEve: string };
  beforeEach(async () => {
    second = newAddress();
    const changed = await ada.change(evil);
    await ada.change(second, changed);
    links = { ofAda: await linkTo(ada.email), ofEve: await linkTo(evil) };
  });

  test('the link of the first address restores it, and voids that of the second', async () => {
    expect(outcome(await undo(links.ofAda))).toStrictEqual(restored);
    expect(reasonOf(await undo(links.ofEve))).toEqual(noLink);
    expect(await ada.stored()).toMatchObject({ email: ada.email, email_undos: [] });
  });

  test('the link of the second address leaves that of the first valid', async () => {
    expect(outcome(await undo(links.ofEve))).toStrictEqual(restored);
    expect(await ada.stored()).toMatchObject({ email: evil });
    expect(outcome(await undo(links.ofAda))).toStrictEqual(restored);
    expect(await ada.stored()).toMatchObject({ email: ada.email });
  });

  test('both at once leave the first address', async () => {
    await Promise.all([undo(links.ofEve), undo(links.ofAda)]);
    expect(await ada.stored()).toMatchObject({ email: ada.email, email_undos: [] });
  });

  test('a change and an undo at once end with the former address or none of the two', async () => {
    const third = newAddress();
    const bearer = ada.session(second);
    await ada.request(third, bearer);
    const code = mailedCode(service.mailbox, third);
    const [change] = await Promise.all([ada.verify(code, bearer), undo(links.ofAda)]);
    // Whichever came first, the link of the first address has the last word.
    expect([200, 401]).toContain(change.status);
    expect(await ada.stored()).toMatchObject({ email: ada.email, email_undos: [] });
  });
});

describe('passkeys', () => {
  const store = async (_id: string, created_at: Date) => {
    await service.db.passkeys.insertOne({
      _id,
      passkey_id: randomUUIDv7(),
      account: ada._id,
      name: `Key ${_id}`,
      public_key: '',
      counter: 0,
      synced: true,
      aaguid: '',
      transports: [],
      created_at,
    });
    await service.db.users.updateOne({ _id: ada._id }, { $push: { passkeys: _id } });
  };
  const named = async () => (await ada.stored())?.passkeys;

  test('that were added after the change end, and earlier ones stay', async () => {
    const [earlier, late] = [randomUUIDv7(), randomUUIDv7()];
    await store(earlier, new Date(service.clock.now()));
    await ada.change(evil);
    const link = await linkTo(ada.email);
    await store(late, new Date(service.clock.now() + 1));
    const events = await eventsOf(service, () => undo(link));
    expect(await named()).toEqual([earlier]);
    expect(events.map(({ action, before }) => [action, before])).toEqual([
      ['email.undo', { email: evil }],
      ['passkey.remove', { name: `Key ${late}` }],
    ]);
    expect(await service.db.passkeys.distinct('_id', { account: ada._id })).toEqual([earlier]);
    await eventually(() =>
      expect(
        service.mailbox.mails
          .filter(({ recipients }) => recipients.includes(ada.email))
          .map(({ content }) => content.subject),
      ).toContain('A passkey was removed from your account'),
    );
  });

  test('that are added while the change is undone end as well', async () => {
    await ada.change(evil);
    const link = await linkTo(ada.email);
    const late = randomUUIDv7();
    const { db } = service;
    const write = vi.spyOn(db.users, 'findOneAndUpdate').mockImplementationOnce(async () => {
      write.mockRestore();
      await store(late, new Date(service.clock.now() + 1));
      return null;
    });
    expect(outcome(await undo(link))).toStrictEqual(restored);
    expect(await named()).toEqual([]);
  });
});
