import { randomUUIDv7 } from 'node:crypto';
import { ROLES } from '@gatehouse/shared/access/rbac';
import { createTokens, newSessionId } from '@gatehouse/shared/identity/tokens';
import { concernsOrganizations } from '@gatehouse/shared/operation/requirement';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../services/user/operations.ts';
import { errorEnvelope, outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { JWT_SECRET } from '../../fixtures/services.ts';
import { forbidden, notFound } from '../access/failures.ts';
import { concurrently, onePage, type Person } from './organization-service.ts';
import { newTeam, service, team, withOrganizations } from './with-organizations.ts';

const DAY = 86_400;
withOrganizations();

const setRequired = (required: boolean, by: Person = team.ada) =>
  by.call('PUT', `/${team.organization_id}/second-factor`, { required });
const inDays = (days: number) => new Date(service.clock.now() + days * DAY * 1000).toISOString();
const pass = (days: number) => service.clock.advance(days * DAY);
const closed = () => ({
  status: 403,
  body: errorEnvelope(
    'ENROLLMENT_REQUIRED',
    'The organization requires a second factor. Please set one up in your profile and try again.',
    { at: service.clock.now(), details: { organization_id: team.organization_id } },
  ),
});
const stored = async () => {
  const { organization_id } = team;
  const organization = await service.db.organizations.findOne({ organization_id });
  return organization?.second_factor;
};
const open = async (person: Person, path = `/${team.organization_id}`) =>
  (await person.call('GET', path)).status;

/** Gives a person a second factor, as of now. */
const enroll = ({ user_id }: Person, fields: object = {}) =>
  service.db.users.updateOne(
    { user_id },
    {
      $set: {
        second_factor: {
          id: randomUUIDv7(),
          secret: 'sealed',
          enrolled_at: new Date(service.clock.now()),
          last_step: 0,
          recovery_codes: [],
        },
        ...fields,
      },
    },
  );

describe('turning it on and off', () => {
  beforeEach(newTeam);

  test('answers and stores the requirement with its grace, and records both', async () => {
    const { ada, organization, organization_id } = team;
    const second_factor = { required_since: service.at(), grace_ends_at: inDays(14) };
    expect(outcome(await setRequired(true))).toStrictEqual({
      status: 200,
      body: { ...organization, second_factor },
    });
    expect(outcome(await ada.call('GET', `/${organization_id}`)).body).toStrictEqual({
      ...organization,
      second_factor,
    });
    pass(1);
    expect(outcome(await setRequired(false))).toStrictEqual({ status: 200, body: organization });
    const { data } = (await ada.call('GET', `/${organization_id}/audit?order=asc`)).body;
    expect(data).toMatchObject([
      {
        action: 'organization.update',
        actor: { user_id: ada.user_id },
        before: { second_factor: 'optional' },
        after: { second_factor: 'required' },
      },
      {
        action: 'organization.update',
        before: { second_factor: 'required' },
        after: { second_factor: 'optional' },
      },
    ]);
  });

  test('has no effect if nothing changes', async () => {
    const { ada, organization, organization_id } = team;
    expect(outcome(await setRequired(false))).toStrictEqual({ status: 200, body: organization });
    const { body } = await setRequired(true);
    pass(3);
    expect(outcome(await setRequired(true))).toStrictEqual({ status: 200, body });
    expect((await ada.call('GET', `/${organization_id}/audit`)).body.data).toHaveLength(1);
  });

  test('happens once, however many calls come at once', async () => {
    const answers = await concurrently(5, () => setRequired(true));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await service.db.auditEvents.countDocuments({ organization_id: team.organization_id })).toBe(1);
    expect(await stored()).toStrictEqual({ required_since: service.at(), grace_ends_at: inDays(14) });
  });

  test('needs a fresh session', async () => {
    const authorization = team.ada.bearer();
    service.clock.advance(601);
    const path = `/${team.organization_id}/second-factor`;
    const answer = await team.ada.call('PUT', path, { required: true }, { authorization });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect(await stored()).toBeUndefined();
  });

  test.each([{ required: 'true' }, { required: 1 }, { required: null }])('refuses %j', async (body) => {
    const answer = await team.ada.call('PUT', `/${team.organization_id}/second-factor`, body);
    expect([answer.status, answer.body.error.details]).toEqual([400, 'required must be true or false']);
  });

  test('is not changed in an archived organization', async () => {
    await setRequired(true);
    await team.ada.call('POST', `/${team.organization_id}/archive`);
    expect(outcome(await setRequired(false))).toStrictEqual(
      forbidden(service.clock, 'The organization is archived'),
    );
  });

  test('gains no time by turning it off and on', async () => {
    await setRequired(true);
    const grace_ends_at = inDays(14);
    pass(10);
    await setRequired(false);
    pass(1);
    await setRequired(true);
    expect((await stored())?.grace_ends_at).toBe(grace_ends_at);
    await setRequired(false);
    pass(4);
    await setRequired(true);
    expect((await stored())?.grace_ends_at).toBe(grace_ends_at);
    expect(outcome(await setRequired(false))).toStrictEqual(closed());
  });

  test.each([
    [14 * DAY - 1, 'the former grace'],
    [14 * DAY, 'a new grace'],
  ])('%i seconds after it was turned off begins %s', async (seconds, expected) => {
    await setRequired(true);
    const former = inDays(14);
    await setRequired(false);
    service.clock.advance(seconds);
    await setRequired(true);
    expect((await stored())?.grace_ends_at).toBe(expected === 'a new grace' ? inDays(14) : former);
  });
});

describe('once the grace has ended', () => {
  beforeEach(async () => {
    await newTeam();
    await setRequired(true);
  });

  test('and not a second before, it refuses every role without a second factor', async () => {
    const people = [team.ada, ...ROLES.map((role) => team.people[role])];
    service.clock.advance(14 * DAY - 1);
    for (const person of people) expect(await open(person)).toBe(200);
    service.clock.advance(1);
    for (const person of people)
      expect(outcome(await person.call('GET', `/${team.organization_id}`))).toStrictEqual(closed());
    // The gateway keeps no such answer for an Idempotency-Key.
    const { headers } = await team.ada.call('GET', `/${team.organization_id}`);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('a stranger gets 404, and other organizations stay open', async () => {
    pass(14);
    const stranger = await service.newTeam();
    expect(outcome(await stranger.ada.call('GET', `/${team.organization_id}`))).toStrictEqual(
      notFound(service.clock),
    );
    await service.addMember(stranger.ada, stranger.place, team.ada, 'Viewer');
    expect(await open(team.ada, `/${stranger.organization_id}`)).toBe(200);
  });

  test('a second factor opens it, and its end closes it again', async () => {
    pass(14);
    await enroll(team.ada);
    expect(await open(team.ada)).toBe(200);
    await service.db.users.updateOne({ user_id: team.ada.user_id }, { $unset: { second_factor: true } });
    expect(outcome(await team.ada.call('GET', `/${team.organization_id}`))).toStrictEqual(closed());
  });

  test('a reset by an operator closes it when it is due, also before a job has removed the factor', async () => {
    pass(14);
    const due_at = new Date(service.clock.now() + DAY * 1000);
    await enroll(team.ada, { factor_reset: { due_at, next: new Date(due_at.getTime() + 30 * DAY * 1000) } });
    service.clock.advance(DAY - 1);
    expect(await open(team.ada)).toBe(200);
    service.clock.advance(1);
    expect(outcome(await team.ada.call('GET', `/${team.organization_id}`))).toStrictEqual(closed());
  });

  test('only an Owner with a second factor turns it off, archives or restores', async () => {
    pass(14);
    for (const [method, path] of [
      ['PUT', 'second-factor'],
      ['POST', 'archive'],
      ['POST', 'restore'],
    ] as const) {
      const body = method === 'PUT' ? { required: false } : undefined;
      const answer = await team.ada.call(method, `/${team.organization_id}/${path}`, body);
      expect(outcome(answer), path).toStrictEqual(closed());
    }
    await enroll(team.ada);
    expect((await setRequired(false)).status).toBe(200);
    expect(await open(team.people.Viewer)).toBe(200);
  });

  test('archiving and restoring keep it', async () => {
    const before = await stored();
    const path = `/${team.organization_id}`;
    await team.ada.call('POST', `${path}/archive`);
    pass(14);
    expect(outcome(await team.ada.call('GET', path))).toStrictEqual(closed());
    expect(outcome(await team.ada.call('POST', `${path}/restore`))).toStrictEqual(closed());
    await enroll(team.ada);
    expect((await team.ada.call('POST', `${path}/restore`)).body.second_factor).toStrictEqual(before);
    expect(outcome(await team.people.Viewer.call('GET', path))).toStrictEqual(closed());
  });

  test('what belongs to the person stays open, and so does leaving', async () => {
    pass(14);
    const { Viewer, Admin } = team.people;
    for (const path of ['', '/roles', '/factors', '/sessions', '/audit'])
      expect((await Viewer.ask('GET', `/api/v1/users/me${path}`)).status, path).toBe(200);
    expect((await Viewer.ask('GET', '/api/v1/users/me/roles')).body.organizations).toHaveLength(1);
    expect((await Viewer.call('GET', '')).body.data).toHaveLength(1);
    expect((await Viewer.ask('POST', '/api/v1/users/me/factors/totp')).status).toBe(200);
    const others = `/${team.organization_id}/members/${Admin.user_id}`;
    expect(outcome(await Viewer.call('DELETE', others))).toStrictEqual(closed());
    const own = `/${team.organization_id}/members/${Viewer.user_id}`;
    expect((await Viewer.call('DELETE', own)).status).toBe(200);
    expect((await Admin.call('DELETE', `${team.place}/members/${Admin.user_id}`)).status).toBe(200);
  });

  test('an Owner leaves without a second factor', async () => {
    const other = await service.newPerson();
    await service.addOwner(team.ada, team.organization_id, other);
    pass(14);
    const path = `/${team.organization_id}/owners`;
    expect(outcome(await other.call('DELETE', `${path}/${team.ada.user_id}`))).toStrictEqual(closed());
    expect((await other.call('DELETE', `${path}/${other.user_id}`)).status).toBe(200);
  });

  test('lists leave out what belongs to it', async () => {
    const { ada, department_id } = team;
    const own = (await ada.ask('POST', '/api/v1/chatbots/create', RECEPTIONIST)).body;
    await service.newChatbot(ada, department_id);
    await storeWebhook();
    pass(14);
    expect(outcome(await ada.ask('GET', '/api/v1/chatbots'))).toStrictEqual(onePage(own));
    expect(outcome(await ada.ask('GET', '/api/v1/webhooks'))).toStrictEqual(onePage());
    for (const list of ['chatbots', 'webhooks', 'events'])
      expect(
        outcome(await ada.ask('GET', `/api/v1/${list}?department_id=${department_id}`)),
        list,
      ).toStrictEqual(closed());
    const copied = await ada.ask('POST', `/api/v1/chatbots/${own.chatbot_id}/move`, { department_id });
    expect(outcome(copied)).toStrictEqual(closed());
    await enroll(ada);
    expect((await ada.ask('GET', '/api/v1/chatbots')).body.data).toHaveLength(2);
    expect((await ada.ask('GET', '/api/v1/webhooks')).body.data).toHaveLength(1);
  });

  test('a chatbot that the caller may not view stays 404', async () => {
    const chatbot = await service.newChatbot(team.ada, team.department_id);
    pass(14);
    const path = `/api/v1/chatbots/${chatbot.chatbot_id}`;
    const stranger = await service.newPerson();
    for (const person of [stranger, team.people.Analyst])
      expect(outcome(await person.ask('GET', path))).toStrictEqual(notFound(service.clock));
    expect(outcome(await team.people.Viewer.ask('GET', path))).toStrictEqual(closed());
  });
});

const tokens = createTokens({ JWT_SECRET });

/** A call with a session that began at a connection of an organization. */
async function callFrom(
  protocol: 'saml' | 'oidc' | 'ldap',
  organization_id: string,
  { sso = true, confirmedAt }: { sso?: boolean; confirmedAt?: number } = {},
) {
  const { email, user_id } = team.people.Viewer;
  const connection_id = await storeConnection(organization_id, protocol);
  const sid = newSessionId(service.clock.now());
  await service.db.ssoSessions.insertOne({
    connection_id,
    subject: 'viewer',
    user_id,
    sid,
    expires_at: new Date(service.clock.now() + DAY * 1000),
  });
  const authorization = `Bearer ${tokens.session({ email, user_id }, service.clock.now(), {
    sid,
    sso,
    confirmedAt,
  })}`;
  return team.people.Viewer.call('GET', `/${team.organization_id}`, undefined, { authorization });
}

describe('a session from a provider', () => {
  beforeAll(async () => {
    await newTeam();
    await setRequired(true);
    pass(14);
  });

  test.each(['saml', 'oidc'] as const)('is let through from the organization: %s', async (protocol) => {
    expect((await callFrom(protocol, team.organization_id)).status).toBe(200);
  });

  test('is not let through from a directory, which checks only a password', async () => {
    expect(outcome(await callFrom('ldap', team.organization_id))).toStrictEqual(closed());
  });

  test('is not let through from another organization', async () => {
    const { organization_id } = await service.newTeam();
    expect(outcome(await callFrom('saml', organization_id))).toStrictEqual(closed());
  });

  test('is marked by its token, and a token alone is not enough', async () => {
    expect(outcome(await callFrom('saml', team.organization_id, { sso: false }))).toStrictEqual(closed());
    const { email, user_id } = team.people.Viewer;
    const authorization = `Bearer ${tokens.session({ email, user_id }, service.clock.now(), { sso: true })}`;
    const answer = await team.people.Viewer.call('GET', `/${team.organization_id}`, undefined, {
      authorization,
    });
    expect(outcome(answer)).toStrictEqual(closed());
  });
});

test('the events of a closed organization are not among the own ones', async () => {
  await newTeam();
  const { ada, department_id } = team;
  await service.newChatbot(ada, department_id);
  const pulled = async () =>
    (await ada.ask('GET', '/api/v1/events')).body.data.filter(
      (event: { department_id: string | null }) => event.department_id === department_id,
    ).length;
  await eventually(async () => expect(await pulled()).toBeGreaterThan(0));
  await setRequired(true);
  pass(14);
  expect(await pulled()).toBe(0);
});

describe('a session from a provider, of a member with a second factor', () => {
  beforeAll(async () => {
    await newTeam();
    await setRequired(true);
    pass(14);
    await enroll(team.people.Viewer);
  });
  const another = async () => (await service.newTeam()).organization_id;

  test('is not let through from another organization before a code', async () => {
    expect(outcome(await callFrom('saml', await another()))).toStrictEqual(closed());
    const confirmedAt = service.clock.now() + 1_000;
    expect((await callFrom('saml', await another(), { confirmedAt })).status).toBe(200);
  });

  test('is let through from a directory, whose login asked for the code', async () => {
    expect((await callFrom('ldap', await another())).status).toBe(200);
  });
});

describe('every operation that concerns an organization', () => {
  let ids: Record<string, string>;
  let before: unknown;
  beforeAll(async () => {
    await newTeam();
    const { ada, organization_id, department_id } = team;
    const chatbot = await service.newChatbot(ada, department_id);
    ids = {
      organization_id,
      department_id,
      chatbot_id: chatbot.chatbot_id,
      user_id: team.people.Viewer.user_id,
      invitation_id: await service.storeInvitation(team, { email: 'grace@example.com' }),
      export_id: randomUUIDv7(),
      delivery_id: randomUUIDv7(),
      webhook_id: await storeWebhook(),
      connection_id: await storeConnection(organization_id, 'saml'),
      domain_id: await storeDomain(),
    };
    await setRequired(true);
    pass(14);
    before = await team.stored();
  });

  test.each(
    OPERATIONS.filter(({ needs, path }) => concernsOrganizations(needs) && path !== '').map(
      ({ method, path, body }) => [`${method} ${path}`, { method, path, body }] as const,
    ),
  )('%s is refused to an Owner without a second factor, and changes nothing', async (_name, operation) => {
    const { method, path, body } = operation;
    const [example] = (body?.meta()?.examples ?? []) as object[];
    const inDepartment = /chatbots\/create$|webhooks\/configure$/.test(path);
    const named = (key: string) => (example && key in example ? { [key]: ids[key] } : {});
    const sent = example && {
      ...example,
      ...named('organization_id'),
      ...named('department_id'),
      ...(inDepartment && { department_id: ids.department_id }),
    };
    const to = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
    const query = method === 'GET' && !path.includes('{') ? `?organization_id=${ids.organization_id}` : '';
    const answer = await team.ada.ask(method, `${to}${query}`, sent);
    expect(outcome(answer)).toStrictEqual(closed());
    expect(await team.stored()).toStrictEqual(before);
  });
});

const RECEPTIONIST = { name: 'Receptionist', type: '3d', avatar_id: 'avatar-7', language: 'en-GB' };

/** Stores a webhook of the organization. */
async function storeWebhook(): Promise<string> {
  const webhook_id = randomUUIDv7();
  await service.db.webhooks.insertOne({
    webhook_id,
    owner_id: null,
    organization_id: team.organization_id,
    department_id: null,
    slot: webhook_id,
    url: 'https://app.example.com/hooks',
    events: [],
    status: 'active',
    secret: 'sealed',
    previous_secrets: [],
    created_at: new Date(service.clock.now()),
    updated_at: new Date(service.clock.now()),
    due_at: null,
    lease: null,
    held_until: null,
    wakes: 0,
  });
  return webhook_id;
}

let connections = 0;

async function storeConnection(organization_id: string, protocol: 'saml' | 'oidc' | 'ldap'): Promise<string> {
  const connection_id = randomUUIDv7();
  connections += 1;
  await service.db.ssoConnections.insertOne({
    connection_id,
    organization_id,
    slot: connections,
    protocol,
    slug: `connection-${connections}`,
    name: 'Provider',
    enabled: true,
    attributes: {} as never,
    default_role: 'Viewer',
    default_department_id: null,
    created_at: new Date(service.clock.now()),
    updated_at: new Date(service.clock.now()),
  });
  return connection_id;
}

async function storeDomain(): Promise<string> {
  const domain_id = randomUUIDv7();
  await service.db.ssoDomains.insertOne({
    domain_id,
    organization_id: team.organization_id,
    domain: `${domain_id}.example`,
  } as never);
  return domain_id;
}
