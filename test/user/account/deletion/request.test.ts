import { createTokens } from '@gatehouse/shared/identity/tokens';
import type { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eventsOf } from '../../../fixtures/audit.ts';
import { enrolled } from '../../../fixtures/enrolled.ts';
import { outcome } from '../../../fixtures/envelope.ts';
import { eventually } from '../../../fixtures/eventually.ts';
import { postForm, postJson, send } from '../../../fixtures/http.ts';
import { bearerOf, loggedIn, member, newMember } from '../../../fixtures/members.ts';
import { JWT_SECRET, type Services, startServices } from '../../../fixtures/services.ts';
import { storeOrganization } from '../../access/store-organization.ts';

const DAY = 86_400;

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

const me = () => `${services.user}/api/v1/users/me`;
const requestDeletion = (headers: Record<string, string>) => send(me(), { method: 'DELETE', headers });
const stored = (user_id: string | undefined) => services.db.users.findOne({ user_id: user_id as string });
const iso = (sinceNow = 0) => new Date(services.clock.now() + sinceNow * 1000).toISOString();

/** A person who has asked to delete the account. */
async function leaving(fields: object = {}) {
  const person = await loggedIn(services, fields);
  expect((await requestDeletion(person.headers)).status).toBe(202);
  services.clock.advance(1);
  return person;
}

describe('DELETE /api/v1/users/me', () => {
  test('sets the date, ends every session, tells the person and is audited', async () => {
    const person = await loggedIn(services);
    const { body } = await postForm(`${services.login}/v2/login`, {
      email: person.email,
      password: 'secret',
    });
    let answer: unknown;
    const events = await eventsOf(services, async () => {
      answer = outcome(await requestDeletion(person.headers));
    });
    const dates = { requested_at: iso(), due_at: iso(14 * DAY) };
    expect(answer).toStrictEqual({ status: 202, body: dates });
    expect(events).toMatchObject([
      {
        action: 'account.delete_requested',
        outcome: 'success',
        user_id: person.user_id,
        after: { due_at: dates.due_at },
      },
    ]);
    for (const headers of [person.headers, { authorization: `Bearer ${body.token}` }])
      expect((await send(me(), { headers })).status).toBe(401);
    const user = await stored(person.user_id);
    expect(user?.deletion).toStrictEqual({
      requested_at: new Date(dates.requested_at),
      due_at: new Date(dates.due_at),
      next: new Date(dates.due_at),
    });
    expect(user?.account_status).toBe('active');
    await eventually(() => {
      const mail = services.mailbox.mails.find(({ recipients }) => recipients.includes(person.email));
      expect(mail?.content.subject).toBe('Your account will be deleted');
    });
  });

  test('needs a fresh session', async () => {
    const user = await newMember(services.db);
    const began = services.clock.now();
    const authorization = bearerOf(user, began, { lifetime: 3_600 });
    services.clock.advance(601);
    const answer = await requestDeletion({ authorization });
    expect(answer.body.error).toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    expect(await stored(user.user_id)).not.toHaveProperty('deletion');
  });

  test('is not due while a link can undo a change of the address', async () => {
    const person = await loggedIn(services);
    const undo = (id: string, days: number) => ({
      id,
      email: `${id}@elsewhere.example`,
      until: new Date(services.clock.now() + days * DAY * 1000),
    });
    const email_undos = [undo('first', 15), undo('second', 16)];
    await services.db.users.updateOne({ user_id: person.user_id as string }, { $set: { email_undos } });
    expect(outcome(await requestDeletion(person.headers)).body).toStrictEqual({
      requested_at: iso(),
      due_at: iso(16 * DAY),
    });
    expect((await stored(person.user_id))?.deletion?.next).toEqual(email_undos[1]?.until);
  });

  test('is refused once the address has changed during the call', async () => {
    const person = await loggedIn(services);
    const write = services.db.users.updateOne.bind(services.db.users);
    const spied = vi.spyOn(services.db.users, 'updateOne').mockImplementationOnce((async (
      ...call: Parameters<typeof write>
    ) => {
      await write({ user_id: person.user_id as string }, { $set: { email: `changed-${person.email}` } });
      return write(...call);
    }) as unknown as typeof write);
    expect((await requestDeletion(person.headers)).status).toBe(401);
    spied.mockRestore();
    expect(await stored(person.user_id)).not.toHaveProperty('deletion');
  });

  test('one of two concurrent calls asks for it', async () => {
    const { headers, user_id } = await loggedIn(services);
    const answers = await Promise.all([requestDeletion(headers), requestDeletion(headers)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 401]);
    expect(await stored(user_id)).toHaveProperty('deletion');
  });

  test('is refused the eleventh time within an hour: no loop of logins floods the mailbox', async () => {
    const person = await newMember(services.db);
    const again = async () => {
      services.clock.advance(1);
      const { email } = person;
      const { body } = await postForm(`${services.login}/v2/login`, { email, password: 'secret' });
      return requestDeletion({ authorization: `Bearer ${body.token}` });
    };
    for (let turn = 0; turn < 10; turn += 1) expect((await again()).status).toBe(202);
    expect((await again()).status).toBe(429);
    expect(await stored(person.user_id)).not.toHaveProperty('deletion');
  });

  test('is refused for an account without a user_id', async () => {
    const user = await member(services.db, services.clock, { user_id: undefined as never });
    expect((await requestDeletion({ authorization: user.authorization })).status).toBe(403);
  });
});

describe('the last Owner who can act', () => {
  const organizationOf = (owners: (string | undefined)[]) =>
    storeOrganization(services.db, {
      name: 'Analytical Engines',
      owners: owners.map(String),
      departments: ['Support'],
      now: services.clock.now(),
    });

  test('is told which organizations to hand over', async () => {
    const { headers, user_id } = await loggedIn(services);
    const disabled = await newMember(services.db, { account_status: 'disabled' });
    const { organization } = await organizationOf([user_id, disabled.user_id]);
    const answer = await requestDeletion(headers);
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      code: 'LAST_OWNER',
      message: 'Hand over or archive every organization that nobody else can lead',
      details: {
        organizations: [{ organization_id: organization.organization_id, name: 'Analytical Engines' }],
      },
    });
    expect(await stored(user_id)).not.toHaveProperty('deletion');
    expect((await send(me(), { headers })).status).toBe(200);
  });

  test('may go if it is one of a department', async () => {
    const { headers, user_id } = await loggedIn(services);
    const disabled = await newMember(services.db, { account_status: 'disabled' });
    const { departments } = await organizationOf([disabled.user_id]);
    const [{ organization_id, department_id }] = departments as [(typeof departments)[0]];
    await services.db.memberships.insertOne({
      membership_id: department_id,
      organization_id,
      department_id,
      user_id: user_id as string,
      role: 'Owner',
      granted_by: 'User-1',
      granted_at: iso(),
    });
    expect((await requestDeletion(headers)).status).toBe(202);
  });

  test('may go once the organization is archived, or has another Owner', async () => {
    const [archiving, sharing] = [await loggedIn(services), await loggedIn(services)];
    const other = await newMember(services.db);
    const { organization } = await organizationOf([archiving.user_id]);
    await services.db.organizations.updateOne(
      { organization_id: organization.organization_id },
      { $set: { archived_at: iso() } },
    );
    await organizationOf([sharing.user_id, other.user_id]);
    expect((await requestDeletion(archiving.headers)).status).toBe(202);
    expect((await requestDeletion(sharing.headers)).status).toBe(202);
  });

  test('cannot rely on an Owner who is leaving too', async () => {
    const gone = await leaving();
    const { headers, user_id } = await loggedIn(services);
    await organizationOf([user_id, gone.user_id]);
    expect((await requestDeletion(headers)).status).toBe(409);
  });
});

describe('undoing a change of the address', () => {
  const undo = (_id: ObjectId) => {
    const token = createTokens({ JWT_SECRET }).emailUndo(
      { account: _id.toHexString(), change: 'change' },
      services.clock.now(),
    );
    return postJson(`${services.user}/api/v1/users/email/undo`, { token });
  };
  const changed = (former: string, deletion: object) => {
    const at = new Date(services.clock.now());
    return newMember(services.db, {
      email_undos: [{ id: 'change', email: former, until: new Date(at.getTime() + DAY * 1000) }],
      deletion: { requested_at: at, due_at: at, next: new Date(at.getTime() + DAY * 1000), ...deletion },
    });
  };

  test('restores the account: whoever changed the address may have asked for the deletion', async () => {
    const { _id, user_id } = await changed('former@example.com', {});
    expect((await undo(_id)).status).toBe(200);
    const user = await stored(user_id);
    expect(user).toMatchObject({ email: 'former@example.com', account_status: 'active' });
    expect(user).not.toHaveProperty('deletion');
  });

  test('is refused once the job has begun', async () => {
    const before = await changed('late@example.com', { begun_at: new Date() });
    expect((await undo(before._id)).status).toBe(400);
    expect(await stored(before.user_id)).toStrictEqual(before);
  });
});

describe('a login', () => {
  const restored = async (person: { user_id?: string | undefined; email: string }) => {
    const user = await stored(person.user_id);
    expect(user).not.toHaveProperty('deletion');
    expect(user?.account_status).toBe('active');
    await eventually(() => {
      const subjects = services.mailbox.mails
        .filter(({ recipients }) => recipients.includes(person.email))
        .map(({ content }) => content.subject);
      expect(subjects).toContain('Your account will not be deleted');
    });
  };

  test.each([
    ['Direct', '/v2/login', (url: string, fields: Record<string, string>) => postForm(url, fields)],
    ['catalogue', '/api/v1/auth/login', (url: string, fields: object) => postJson(url, fields)],
  ])('restores the account (%s)', async (_, path, post) => {
    const person = await leaving();
    const events = await eventsOf(services, async () => {
      const answer = await post(`${services.login}${path}`, { email: person.email, password: 'secret' });
      expect(answer.status).toBe(200);
      const authorization = `Bearer ${answer.body.token ?? answer.body.access_token}`;
      expect((await send(me(), { headers: { authorization } })).status).toBe(200);
    });
    expect(events.map(({ action }) => action)).toEqual(['account.restore', 'login']);
    await restored(person);
  });

  test('restores the account with its second factor, not before', async () => {
    const { clock, db, login } = services;
    const person = await enrolled(db, clock);
    const authorization = bearerOf(person, clock.now());
    expect((await requestDeletion({ authorization })).status).toBe(202);
    clock.advance(1);
    const credentials = { email: person.email, password: 'secret' };
    const { body } = await postJson(`${login}/api/v1/auth/login`, credentials);
    expect(await stored(person.user_id)).toHaveProperty('deletion');
    const { factor_token } = body.error.details;
    const answer = await postJson(`${login}/api/v1/auth/login/factor`, { factor_token, code: person.code() });
    expect(answer.status).toBe(200);
    await restored(person);
  });

  test('with a wrong password restores nothing', async () => {
    const { email, user_id } = await leaving();
    expect((await postForm(`${services.login}/v2/login`, { email, password: 'wrong' })).status).toBe(401);
    expect(await stored(user_id)).toHaveProperty('deletion');
  });

  test('that read the account before the job began is refused', async () => {
    const { email, user_id } = await leaving();
    const { users } = services.db;
    const updateOne = users.updateOne.bind(users);
    // The job begins between the read and the write of the login.
    const began = Promise.withResolvers<void>();
    users.updateOne = (async (...call: Parameters<typeof updateOne>) => {
      if ((call[1] as { $unset?: { deletion?: true } }).$unset?.deletion) {
        await updateOne({ user_id: user_id as string }, { $set: { 'deletion.begun_at': new Date() } });
        began.resolve();
      }
      return updateOne(...call);
    }) as typeof updateOne;
    try {
      const answer = await postForm(`${services.login}/v2/login`, { email, password: 'secret' });
      await began.promise;
      expect(outcome(answer)).toStrictEqual({ status: 401, body: { detail: 'Invalid credentials' } });
    } finally {
      users.updateOne = updateOne;
    }
    expect(await stored(user_id)).toHaveProperty('deletion.begun_at');
  });
});
