import { describe, expect, test, vi } from 'vitest';
import { buildUserService } from '../../../services/user/app.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { eventsOf } from '../../fixtures/audit.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { send } from '../../fixtures/http.ts';
import { bearerOf } from '../../fixtures/members.ts';
import { listen, testConfig } from '../../fixtures/services.ts';
import { storeOrganization } from '../access/store-organization.ts';
import { LEASE, runDeletions } from '../account/deletion/run-deletions.ts';
import { type Client, newClient, person, scimError } from './scim-client.ts';
import { client, organization, service, withScim } from './with-scim.ts';

withScim();

const accountOf = (email: string) => service.db.users.findOne({ email });
const deactivate = (id: string, by: Client = client) =>
  by.patch(`/Users/${id}`, [{ op: 'replace', value: { active: false } }]);
const activate = (id: string, by: Client = client) =>
  by.patch(`/Users/${id}`, [{ op: 'Replace', path: 'active', value: 'True' }]);

/** Starts another process of the user service on the same database. */
async function startSecond() {
  const config = testConfig('user');
  const mailer = createMailer(config);
  const app = await buildUserService({ config, db: service.db, mailer, now: service.clock.now });
  return {
    url: await listen(app),
    async stop() {
      await app.close();
      mailer.close();
    },
  };
}

/** A user with a session. */
async function newUser(name: string, by: Client = client) {
  const { body } = await by.create(name);
  const { user_id = '', email = '' } =
    (await service.db.ssoIdentities.findOne({ identity_id: body.id })) ?? {};
  const authorization = bearerOf({ email, user_id }, service.clock.now());
  const me = (url = service.url) => send(`${url}/api/v1/users/me`, { headers: { authorization } });
  return { id: String(body.id), user_id, email, me };
}

test('disables the account and ends its sessions on every process', async () => {
  const { id, email, me } = await newUser('leaver');
  const second = await startSecond();
  expect([(await me()).status, (await me(second.url)).status]).toEqual([200, 200]);
  expect((await deactivate(id)).body.active).toBe(false);
  expect([(await me()).status, (await me(second.url)).status]).toEqual([401, 401]);
  expect(await accountOf(email)).toMatchObject({
    account_status: 'disabled',
    sessions_valid_from: new Date(service.clock.now()),
  });
  await second.stop();
});

test('gives the account back to an active user, without its old sessions', async () => {
  const { id, email, me } = await newUser('returner');
  await deactivate(id);
  expect((await activate(id)).body.active).toBe(true);
  const account = await accountOf(email);
  expect(account).toMatchObject({ account_status: 'active' });
  expect(account?.deprovisioned).toBeUndefined();
  expect((await me()).status).toBe(401);
});

test('does not enable an account that somebody else has disabled', async () => {
  const { id, email } = await newUser('banned');
  await service.db.users.updateOne({ email }, { $set: { account_status: 'disabled' } });
  await deactivate(id);
  await activate(id);
  expect(await accountOf(email)).toMatchObject({ account_status: 'disabled' });
});

test('gives a paused account back as paused', async () => {
  const { id, email } = await newUser('paused');
  await service.db.users.updateOne({ email }, { $set: { account_status: 'paused' } });
  await deactivate(id);
  expect(await accountOf(email)).toMatchObject({ account_status: 'disabled' });
  await activate(id);
  expect(await accountOf(email)).toMatchObject({ account_status: 'paused' });
});

test('does not enable an account that another connection has disabled', async () => {
  const other = await newClient(service, organization);
  const mine = await newUser('shared');
  const theirs = await newUser('shared', other);
  await deactivate(theirs.id, other);
  await deactivate(mine.id);
  await activate(mine.id);
  expect(await accountOf(mine.email)).toMatchObject({ account_status: 'disabled' });
  await activate(theirs.id, other);
  expect(await accountOf(mine.email)).toMatchObject({ account_status: 'active' });
});

test('leaves an account alone whose domain the organization has lost', async () => {
  const { db, clock } = service;
  const { id, email, user_id, me } = await newUser('emigrant');
  await db.users.updateOne({ email }, { $set: { email: 'emigrant@elsewhere.example' } });
  const { connection_id } = client.connection;
  const expires_at = new Date(clock.now() + 86_400_000);
  await db.ssoSessions.insertOne({ connection_id, subject: 's', user_id, sid: 'a-session', expires_at });
  await deactivate(id);
  const account = await accountOf('emigrant@elsewhere.example');
  expect(account).toMatchObject({ account_status: 'active' });
  expect(account?.sessions_valid_from).toBeUndefined();
  expect(await db.ssoSessions.countDocuments({ user_id })).toBe(0);
  expect((await me()).status).toBe(401); // the token names the former address
});

test('ends on the last of concurrent changes, in the identity and in the account', async () => {
  const { id, email } = await newUser('flapping');
  await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? activate(id) : deactivate(id))));
  const { body } = await client.call('GET', `/Users/${id}`);
  expect(await accountOf(email)).toMatchObject({ account_status: body.active ? 'active' : 'disabled' });
});

test('ends on the last change if it overtakes an earlier one', async () => {
  const { id, email } = await newUser('overtaken');
  await deactivate(id);
  const { users } = service.db;
  const findOne = users.findOne.bind(users) as (...given: unknown[]) => Promise<unknown>;
  let isFirst = true;
  const spy = vi.spyOn(users, 'findOne').mockImplementation((async (...given: unknown[]) => {
    const found = await findOne(...given);
    if (isFirst && 'deprovisioned.by' in (given[0] as object)) {
      isFirst = false;
      await deactivate(id);
    }
    return found;
  }) as never);
  await activate(id);
  spy.mockRestore();
  expect(isFirst).toBe(false);
  expect((await client.call('GET', `/Users/${id}`)).body.active).toBe(false);
  expect(await accountOf(email)).toMatchObject({ account_status: 'disabled' });
});

test('leaves an account alone whose address changes at the same time', async () => {
  const { users } = service.db;
  const { id, user_id } = await newUser('renamed');
  const findOne = users.findOne.bind(users) as (...given: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(users, 'findOne').mockImplementation((async (...given: unknown[]) => {
    const found = await findOne(...given);
    if (JSON.stringify(given[0]) === JSON.stringify({ user_id }))
      await users.updateOne({ user_id }, { $set: { email: 'renamed@elsewhere.example' } });
    return found;
  }) as never);
  await deactivate(id);
  spy.mockRestore();
  const account = await accountOf('renamed@elsewhere.example');
  expect(account).toMatchObject({ account_status: 'active' });
  expect(account?.deprovisioned).toBeUndefined();
});

describe('while a deletion of the account has begun, and the account is then kept as the last Owner', () => {
  /** A user who is the only Owner of an organization of their own, and whose deletion a kill interrupted at its begin. */
  async function newDeparting(name: string) {
    const { db, clock } = service;
    const user = await newUser(name);
    const at = new Date(clock.now());
    await storeOrganization(db, { name, owners: [user.user_id], departments: ['Support'], now: clock.now() });
    const begin = async (account_status: string) =>
      db.users.updateOne(
        { user_id: user.user_id },
        {
          $set: {
            account_status: 'disabled',
            deletion: { requested_at: at, due_at: at, next: at, begun_at: at, account_status } as never,
          },
        },
      );
    return { ...user, begin };
  }
  const by = () => `sso:${client.connection.connection_id}`;

  test('a deactivation holds', async () => {
    const { id, email, begin } = await newDeparting('departing');
    await begin('active');
    expect((await deactivate(id)).body.active).toBe(false);
    expect(await runDeletions(service)).toEqual([]);
    const kept = await accountOf(email);
    expect(kept).toMatchObject({
      account_status: 'disabled',
      deprovisioned: { by: by(), account_status: 'active' },
      deletion: { kept: true },
    });
    expect(kept?.deletion).not.toHaveProperty('account_status');
    await activate(id);
    expect(await accountOf(email)).toMatchObject({ account_status: 'active' });
  });

  test('an activation holds', async () => {
    const { id, email, begin } = await newDeparting('staying');
    await deactivate(id);
    await begin('disabled');
    await activate(id);
    expect(await accountOf(email)).toMatchObject({ account_status: 'disabled' });
    expect(await runDeletions(service)).toEqual([]);
    const kept = await accountOf(email);
    expect(kept).toMatchObject({ account_status: 'active', deletion: { kept: true } });
    expect(kept?.deprovisioned).toBeUndefined();
  });

  test('a deactivation holds that comes while the job decides', async () => {
    const { db, clock } = service;
    const { id, email, begin } = await newDeparting('deciding');
    await begin('active');
    const find = db.organizations.find.bind(db.organizations);
    const spy = vi.spyOn(db.organizations, 'find').mockImplementation(((
      ...given: Parameters<typeof find>
    ) => {
      const cursor = find(...given);
      const toArray = cursor.toArray.bind(cursor);
      cursor.toArray = async () => {
        spy.mockRestore();
        await deactivate(id);
        return toArray();
      };
      return cursor;
    }) as never);
    await runDeletions(service);
    clock.advance(LEASE / 1000);
    await runDeletions(service);
    expect(await accountOf(email)).toMatchObject({
      account_status: 'disabled',
      deprovisioned: { by: by(), account_status: 'active' },
      deletion: { kept: true },
    });
  });
});

test('completes a deactivation that was interrupted when a service starts', async () => {
  const { id, email } = await newUser('interrupted');
  await service.db.ssoIdentities.updateOne(
    { identity_id: id },
    { $set: { 'scim.active': false, 'scim.unsettled': true } },
  );
  expect(await accountOf(email)).toMatchObject({ account_status: 'active' });
  const second = await startSecond();
  await second.stop();
  expect(await accountOf(email)).toMatchObject({ account_status: 'disabled' });
  expect((await service.db.ssoIdentities.findOne({ identity_id: id }))?.scim?.unsettled).toBeUndefined();
});

test('completes a deactivation that was interrupted when the provider repeats it', async () => {
  const { id, email } = await newUser('repeated');
  await service.db.ssoIdentities.updateOne({ identity_id: id }, { $set: { 'scim.active': false } });
  await deactivate(id);
  expect(await accountOf(email)).toMatchObject({ account_status: 'disabled' });
});

test('refuses to lock out the last Owner of the organization', async () => {
  const place = await service.newOrganization({ domain: 'owned.example' });
  const own = await newClient(service, place);
  const email = 'boss@owned.example';
  await service.db.users.updateOne({ user_id: place.owner.user_id }, { $set: { email } });
  const { body } = await own.call('POST', '/Users', person('boss', { userName: email, emails: [] }));
  const lastOwner = scimError(403, expect.stringContaining('last Owner'));
  expect((await deactivate(body.id, own)).body).toStrictEqual(lastOwner);
  expect((await own.call('DELETE', `/Users/${body.id}`)).body).toStrictEqual(lastOwner);
  expect(await accountOf(email)).toMatchObject({ account_status: 'active' });
  expect((await own.call('GET', `/Users/${body.id}`)).body.active).toBe(true);

  const { user_id } = await service.newPerson();
  await service.db.organizations.updateOne(
    { organization_id: place.organization_id },
    { $push: { owners: { user_id, granted_by: user_id, granted_at: '2026-01-15T09:30:00.000Z' } } },
  );
  expect((await deactivate(body.id, own)).status).toBe(200);
  expect(await accountOf(email)).toMatchObject({ account_status: 'disabled' });
});

/** An organization with two Owners, first@ and second@ of a domain, and their ids in SCIM. */
async function newPair(domain: string) {
  const place = await service.newOrganization({ domain });
  const own = await newClient(service, place);
  const { user_id } = await service.newPerson({ email: `second@${domain}` });
  await service.db.users.updateOne({ user_id: place.owner.user_id }, { $set: { email: `first@${domain}` } });
  await service.db.organizations.updateOne(
    { organization_id: place.organization_id },
    { $push: { owners: { user_id, granted_by: user_id, granted_at: '2026-01-15T09:30:00.000Z' } } },
  );
  const ids = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const user = person(name, { userName: `${name}@${domain}`, emails: [] });
      return String((await own.call('POST', '/Users', user)).body.id);
    }),
  );
  return { own, ids };
}

test('undoes the deletion of an Owner if the others are deactivated meanwhile', async () => {
  const { own, ids } = await newPair('deleted-pair.example');
  const answers = await Promise.all(ids.map((id) => own.call('DELETE', `/Users/${id}`)));
  for (const [index, { status }] of answers.entries())
    expect((await own.call('GET', `/Users/${ids[index]}`)).status).toBe(status === 204 ? 404 : 200);
  expect(answers.map(({ status }) => status)).toContain(403);
});

test('keeps one of two Owners who are deactivated at the same time', async () => {
  const { own, ids } = await newPair('pair.example');
  await Promise.all(ids.map((id) => deactivate(id, own)));
  const active = await service.db.users.countDocuments({
    email: { $in: ['first@pair.example', 'second@pair.example'] },
    account_status: 'active',
  });
  expect(active).toBeGreaterThanOrEqual(1);
});

test('tells the Owners once of a deleted user and leaves the record', async () => {
  const { id, email, user_id, me } = await newUser('deleted');
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.call('DELETE', `/Users/${id}`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
  expect((await client.call('GET', `/Users/${id}`)).status).toBe(404);
  expect((await client.filter('Users', `userName eq "${email}"`)).body.totalResults).toBe(0);
  expect(await accountOf(email)).toMatchObject({ user_id, account_status: 'disabled' });
  expect((await me()).status).toBe(401);
  const mails = await vi.waitFor(() => {
    const sent = service.mailbox.mails.filter(({ content }) => content.text?.includes(email));
    expect(sent).not.toHaveLength(0);
    return sent;
  });
  expect(mails.map(({ recipients }) => recipients)).toEqual([[organization.owner.email]]);
});

test('creates a deleted user again under the same userName and enables the account', async () => {
  const { id, email, user_id } = await newUser('rehired');
  await client.call('DELETE', `/Users/${id}`);
  const { status, body } = await client.create('rehired');
  expect([status, body.active]).toEqual([201, true]);
  expect(await accountOf(email)).toMatchObject({ user_id, account_status: 'active' });
});

test('audits a deactivation with what was before and after', async () => {
  const { id, user_id } = await newUser('audited');
  const events = await eventsOf(service, () => deactivate(id));
  expect(events).toMatchObject([
    {
      action: 'scim.user',
      target: { user_id, connection_id: client.connection.connection_id },
      before: { active: 'true' },
      after: { active: 'false', account_status: 'disabled' },
      organization_id: organization.organization_id,
    },
  ]);
  // The account was disabled before.
  const again = await eventsOf(service, () => deactivate(id));
  expect(again.map(({ after }) => after)).toEqual([
    expect.not.objectContaining({ account_status: 'disabled' }),
  ]);
});

test('tells webhooks what became of the account', async () => {
  const { id, user_id } = await newUser('watched');
  await client.patch(`/Users/${id}`, [{ op: 'replace', value: { 'name.familyName': 'Known' } }]);
  await deactivate(id);
  await deactivate(id);
  await activate(id);
  await client.call('DELETE', `/Users/${id}`);
  const { db } = service;
  await eventually(async () => (await db.auditEvents.countDocuments({ relay: true })) === 0);
  const events = await db.events.find({ owner_id: user_id }).toArray();
  const { organization_id } = organization;
  const name = 'watched Known';
  expect(events.every((event) => JSON.stringify(event).includes(organization_id))).toBe(true);
  const told = events.map(({ payload }) => JSON.parse(payload)).map(({ event, data }) => ({ event, data }));
  const disabled = { event: 'user.disabled', data: { user_id, name, organization_id } };
  expect(told.filter(({ event }) => event === 'user.disabled')).toEqual([disabled, disabled]);
  expect(told).toEqual(
    expect.arrayContaining([
      {
        event: 'user.created',
        data: { user_id, name: expect.any(String), email: 'watched@corp.example', source: 'scim' },
      },
      { event: 'user.updated', data: { user_id, name, changed: ['name'] } },
      { event: 'user.updated', data: { user_id, name, changed: ['account_status'] } },
    ]),
  );
  expect(told).toHaveLength(5);
});
