import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { beforeAll, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { explained } from '../../fixtures/database.ts';
import { errorEnvelope, outcome } from '../../fixtures/envelope.ts';
import { postForm, sendJson } from '../../fixtures/http.ts';
import { mailedCode } from '../../fixtures/services.ts';
import type { Team } from './organization-service.ts';
import { service, withOrganizations } from './with-organizations.ts';

const INTERNAL_API_KEY = 'a key that only the tests know, 32 bytes and more';

withOrganizations({ env: { LOG_LEVEL: 'trace', INTERNAL_API_KEY } });

interface Action {
  step: (team: Team, target: string) => Promise<{ status: number }>;
  /** The expected event, beside its time, its actor and the organization. */
  event: (team: Team, target: string) => Pick<AuditEvent, 'action'> & Partial<AuditEvent>;
}

const inDepartment = ({ department_id }: Team) => ({ department_id });

/** By an Owner of the organization, on the member of the role Viewer. */
const ACTIONS: [what: string, action: Action][] = [
  [
    'offering ownership',
    {
      step: ({ ada, organization_id }, target) => ada.call('PUT', `/${organization_id}/owners/${target}`),
      event: (_, target) => ({
        action: 'invitation.create',
        target: { user_id: target, invitation_id: expect.any(String) },
        after: { role: 'Owner' },
      }),
    },
  ],
  [
    'changing the role of a member',
    {
      step: ({ ada, place }, target) => ada.call('PUT', `${place}/members/${target}`, { role: 'Editor' }),
      event: (team, target) => ({
        action: 'member.grant',
        target: { user_id: target },
        before: { role: 'Viewer' },
        after: { role: 'Editor' },
        ...inDepartment(team),
      }),
    },
  ],
  [
    'removing a member',
    {
      step: ({ ada, place }, target) => ada.call('DELETE', `${place}/members/${target}`),
      event: (team, target) => ({
        action: 'member.remove',
        target: { user_id: target },
        before: { role: 'Viewer' },
        ...inDepartment(team),
      }),
    },
  ],
  [
    'renaming the organization',
    {
      step: ({ ada, organization_id }) => ada.call('PATCH', `/${organization_id}`, { name: 'Difference' }),
      event: ({ organization }) => ({
        action: 'organization.update',
        before: { name: organization.name },
        after: { name: 'Difference' },
      }),
    },
  ],
  [
    'renaming a department',
    {
      step: ({ ada, place }) => ada.call('PATCH', place, { name: 'Sales' }),
      event: (team) => ({
        action: 'department.update',
        before: { name: team.department.name },
        after: { name: 'Sales' },
        ...inDepartment(team),
      }),
    },
  ],
  [
    'choosing a plan',
    {
      step: ({ ada, place }) => ada.call('PATCH', `${place}/billing`, { subscription_plan: 'Business' }),
      event: (team) => ({
        action: 'billing.plan',
        before: { subscription_plan: 'Free', payment_status: 'pending' },
        after: { subscription_plan: 'Business', payment_status: 'pending' },
        ...inDepartment(team),
      }),
    },
  ],
];

const actor = ({ ada }: Team) => ({
  user_id: ada.user_id,
  email: ada.email.toLowerCase(),
  address: ada.address,
});

describe('leaves one event', () => {
  test.each(ACTIONS)('%s', async (_what, { step, event }) => {
    const team = await service.newTeam();
    const target = team.people.Viewer.user_id;
    const events = await eventsOf(service, async () =>
      expect((await step(team, target)).status).toBeOneOf([200, 202]),
    );
    const { organization_id } = team;
    expect(events).toEqual([
      auditEvent(service.clock.now(), { organization_id, ...actor(team), ...event(team, target) }),
    ]);
  });

  test('adding a member of another department', async () => {
    const team = await service.newTeam();
    const { organization_id, department_id, ada, place } = team;
    const bob = await service.newPerson();
    const { user_id } = bob;
    const sibling = await service.newDepartment(ada, organization_id);
    await service.addMember(ada, sibling.place, bob, 'Viewer');
    const events = await eventsOf(service, () => service.addMember(ada, place, bob, 'Editor'));
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'member.grant',
        ...actor(team),
        target: { user_id },
        after: { role: 'Editor' },
        organization_id,
        department_id,
      }),
    ]);
  });

  test('creating a department', async () => {
    const team = await service.newTeam();
    const { ada, organization_id } = team;
    let department_id = '';
    const events = await eventsOf(service, async () => {
      ({ department_id } = await service.newDepartment(ada, organization_id, 'Sales'));
    });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'department.create',
        ...actor(team),
        after: { name: 'Sales' },
        organization_id,
        department_id,
      }),
    ]);
  });

  test('removing an Owner', async () => {
    const team = await service.newTeam();
    const { ada, organization_id, people } = team;
    const { user_id } = people.Editor;
    const path = `/${organization_id}/owners/${user_id}`;
    await service.addOwner(ada, organization_id, people.Editor);
    const events = await eventsOf(service, () => ada.call('DELETE', path));
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'owner.remove',
        ...actor(team),
        target: { user_id },
        before: { role: 'Owner' },
        organization_id,
      }),
    ]);
  });

  test('a payment report, whose repeat leaves none', async () => {
    const { organization_id, department_id } = await service.newTeam();
    const report = () =>
      sendJson(
        'PUT',
        `${service.url}/internal/departments/${department_id}/payment-status`,
        { payment_status: 'paid', subscription_plan: 'Free', invoice_id: 'INV-1' },
        { authorization: `Bearer ${INTERNAL_API_KEY}` },
      );
    const events = await eventsOf(service, async () => {
      for (const answer of [await report(), await report()]) expect(answer.status).toBe(200);
    });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'billing.payment',
        user_id: null,
        email: null,
        before: { subscription_plan: 'Free', payment_status: 'pending' },
        after: { subscription_plan: 'Free', payment_status: 'paid', invoice_id: 'INV-1' },
        organization_id,
        department_id,
      }),
    ]);
  });

  test('creating an organization', async () => {
    const { call, user_id, email, address } = await service.newPerson();
    let organization_id = '';
    const events = await eventsOf(service, async () => {
      ({ organization_id } = (await call('POST', '', { name: 'Engines' })).body);
    });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'owner.add',
        user_id,
        email: email.toLowerCase(),
        target: { user_id },
        after: { role: 'Owner' },
        organization_id,
        address,
      }),
    ]);
  });

  test('inviting a stranger, and each of withdrawing and accepting the invitation', async () => {
    const team = await service.newTeam();
    const { organization_id, department_id, ada, place } = team;
    const common = { ...actor(team), organization_id, department_id };
    const email = 'grace@example.com';
    let invitation_id = '';
    const invite = async () => {
      const { body } = await ada.call('POST', `${place}/invitations`, { email, role: 'Editor' });
      ({ invitation_id } = body);
    };
    const invited = () =>
      auditEvent(service.clock.now(), {
        action: 'invitation.create',
        ...common,
        target: { email, invitation_id },
        after: { role: 'Editor' },
      });
    expect(await eventsOf(service, invite)).toEqual([invited()]);
    const withdraw = () => ada.call('DELETE', `${place}/invitations/${invitation_id}`);
    expect(await eventsOf(service, withdraw)).toEqual([
      auditEvent(service.clock.now(), {
        action: 'invitation.withdraw',
        ...common,
        target: { email, invitation_id },
        before: { role: 'Editor' },
      }),
    ]);

    await invite();
    const url = (operation: string) => `${service.url}/v2/${operation}`;
    await postForm(url('signup'), { email, password: 'secret', name: 'Grace' });
    let user_id = '';
    const events = await eventsOf(service, async () => {
      const { body } = await postForm(url('verify-otp'), { email, otp: mailedCode(service.mailbox, email) });
      ({ user_id } = body);
    });
    const joined = {
      action: 'invitation.accept',
      target: { user_id, invitation_id, email },
      after: { role: 'Editor' },
      organization_id,
      department_id,
    } as const;
    expect(events).toEqual([
      auditEvent(service.clock.now(), { ...joined, user_id, email }),
      auditEvent(service.clock.now(), {
        action: 'verify',
        user_id,
        email,
        after: { account_status: 'active' },
      }),
    ]);
  });

  test('inviting an active account, and accepting', async () => {
    const team = await service.newTeam();
    const { organization_id, department_id, ada, place } = team;
    const grace = await service.newPerson();
    const { user_id } = grace;
    const email = grace.email.toLowerCase();
    const common = { after: { role: 'Editor' }, organization_id, department_id };
    let invitation_id = '';
    const invite = async () => {
      ({ invitation_id } = (await ada.call('POST', `${place}/invitations`, { email, role: 'Editor' })).body);
    };
    const created = await eventsOf(service, invite);
    expect(created).toEqual([
      auditEvent(service.clock.now(), {
        action: 'invitation.create',
        ...actor(team),
        ...common,
        target: { email, invitation_id },
      }),
    ]);
    expect(await eventsOf(service, () => service.accept(grace, invitation_id))).toEqual([
      auditEvent(service.clock.now(), {
        action: 'invitation.accept',
        user_id,
        email,
        address: grace.address,
        ...common,
        target: { user_id, invitation_id, email },
      }),
    ]);
  });
});

test('an invitation leaves no event in another organization', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const { email } = await service.newPerson();
  // As after an acceptance that a crash has interrupted.
  await service.storeInvitation(team, { email: email.toLowerCase() });
  const events = await eventsOf(service, () =>
    other.ada.call('POST', `${other.place}/invitations`, { email, role: 'Viewer' }),
  );
  expect(events.map(({ organization_id }) => organization_id)).not.toContain(team.organization_id);
});

test('a refused change and a repeated PUT of an Owner leave no event', async () => {
  const { people, ada, place, organization_id } = await service.newTeam();
  const target = people.Viewer.user_id;
  const events = await eventsOf(service, async () => {
    const refused = await people.Editor.call('PUT', `${place}/members/${target}`, { role: 'Admin' });
    expect(refused.status).toBe(403);
    expect((await ada.call('DELETE', `/${organization_id}/owners/${ada.user_id}`)).status).toBe(403);
    expect((await ada.call('PUT', `/${organization_id}/owners/${ada.user_id}`)).status).toBe(200);
  });
  expect(events).toEqual([]);
});

describe('GET …/{organization_id}/audit', () => {
  let team: Team;
  beforeAll(async () => {
    team = await service.newTeam();
    const { ada, place, people } = team;
    for (const role of ['Editor', 'Analyst'] as const) {
      service.clock.advance(1);
      await ada.call('PUT', `${place}/members/${people.Viewer.user_id}`, { role });
    }
    service.clock.advance(1);
    await people.Admin.call('DELETE', `${place}/members/${people.Analyst.user_id}`);
    const other = await service.newTeam();
    await other.ada.call('DELETE', `${other.place}/members/${other.people.Viewer.user_id}`);
  });
  const list = (query = '', { ada, organization_id } = team) =>
    ada.call('GET', `/${organization_id}/audit${query}`);

  test('lists what happened in the organization, newest first', async () => {
    const { body, status } = await list('?limit=2');
    expect(status).toBe(200);
    const { ada, people, organization_id, department_id } = team;
    const common = {
      event_id: expect.any(String),
      outcome: 'success',
      organization_id,
      department_id,
      request_id: expect.any(String),
    };
    expect(body).toStrictEqual({
      data: [
        {
          ...common,
          at: service.at(),
          action: 'member.remove',
          address: people.Admin.address,
          actor: { user_id: people.Admin.user_id, email: people.Admin.email.toLowerCase() },
          target: { user_id: people.Analyst.user_id },
          before: { role: 'Analyst' },
          after: null,
        },
        {
          ...common,
          at: new Date(service.clock.now() - 1_000).toISOString(),
          action: 'member.grant',
          address: ada.address,
          actor: { user_id: ada.user_id, email: ada.email.toLowerCase() },
          target: { user_id: people.Viewer.user_id },
          before: { role: 'Editor' },
          after: { role: 'Analyst' },
        },
      ],
      pagination: { page: 1, limit: 2, total_items: 3, total_pages: 2, has_next: true, has_prev: false },
    });
  });

  test('shows no address of a person who only joins by invitation or leaves', async () => {
    const { ada, place, organization_id, people } = await service.newTeam();
    const stranger = await service.newPerson();
    await service.addMember(ada, place, stranger, 'Viewer');
    await stranger.call('DELETE', `${place}/members/${stranger.user_id}`);
    await service.addOwner(ada, organization_id, stranger);
    await stranger.call('DELETE', `/${organization_id}/owners/${stranger.user_id}`);
    const email = 'zoe@example.com';
    await service.storeInvitation(
      { organization_id, department_id: place.split('/')[3] as string },
      { email },
    );
    await postForm(`${service.url}/v2/signup`, { email, password: 'secret', name: 'Zoe' });
    const otp = mailedCode(service.mailbox, email);
    const { user_id } = (await postForm(`${service.url}/v2/verify-otp`, { email, otp })).body;
    for (const id of [stranger.user_id, user_id]) {
      const { data } = (await list(`?actor=${id}`, { ada, organization_id } as Team)).body;
      expect(data).not.toEqual([]);
      for (const { actor, address } of data)
        expect({ actor, address }).toEqual({ actor: { user_id: id, email: null }, address: null });
    }
    // An insider's change of their own role is shown in full.
    await people.Admin.call('PUT', `${place}/members/${people.Admin.user_id}`, { role: 'Viewer' });
    const [change] = (await list(`?actor=${people.Admin.user_id}`, { ada, organization_id } as Team)).body
      .data;
    expect(change.address).toBe(people.Admin.address);
  });

  test('shows nobody’s session or device', async () => {
    const { organization_id } = team;
    const session = { id: 'the-session', device: 'the-device', expires_at: new Date() };
    const event = auditEvent(service.clock.now(), {
      event_id: 'with-a-session',
      request_id: 'with-a-session',
      action: 'login',
      user_id: null,
      email: null,
      organization_id,
      session,
    });
    const { insertedId } = await service.db.auditEvents.insertOne(event);
    const { body } = await list();
    expect(body.data[0].event_id).toBe('with-a-session');
    expect(JSON.stringify(body)).not.toMatch(/the-session|the-device/);
    await service.db.auditEvents.deleteOne({ _id: insertedId });
  });

  test('filters by action, actor, department and time', async () => {
    const total = async (query: string) => (await list(query)).body.pagination.total_items;
    const { people, ada, department_id } = team;
    const time = encodeURIComponent(service.at());
    expect(await total('?action=member.grant')).toBe(2);
    expect(await total('?action=login')).toBe(0);
    expect(await total(`?actor=${people.Admin.user_id}`)).toBe(1);
    expect(await total(`?actor=${ada.user_id}`)).toBe(2);
    expect(await total(`?department_id=${department_id}`)).toBe(3);
    expect(await total('?department_id=other')).toBe(0);
    expect(await total(`?from=${time}`)).toBe(1);
    expect(await total(`?to=${time}`)).toBe(2);
    expect(await total('?search=GRANT')).toBe(2);
  });

  test.each([
    ['?user_id=x', 'querystring holds an unknown parameter'],
    ['?organization_id=x', 'querystring holds an unknown parameter'],
    ['?actor[$ne]=x', 'querystring holds an unknown parameter'],
    ['?actor=', 'actor must be a single line of 1 to 200 characters'],
    ['?to=tomorrow', 'to must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'],
  ])('%s: 400', async (query, details) => {
    expect(outcome(await list(query))).toStrictEqual({
      status: 400,
      body: errorEnvelope('INVALID_FORMAT', 'The request is malformed', { details, at: service.clock.now() }),
    });
  });

  test('reads and counts by an index', async () => {
    const [page] = await explained(service.db, () => list(''), { find: 'audit_events' });
    expect(page?.plan).toMatch(/IXSCAN/);
    expect(page?.plan).not.toMatch(/"SORT"|COLLSCAN/);
  });
});

test('neither the events nor the logs hold a password, code or key', async () => {
  const kept = JSON.stringify(await service.db.auditEvents.find().toArray()) + service.logged.join('');
  const codes = service.mailbox.mails.flatMap(
    ({ content }) => /code is (\d{6})/.exec(content.text ?? '')?.[1] ?? [],
  );
  for (const secret of ['"secret"', INTERNAL_API_KEY, 'Bearer', ...codes]) expect(kept).not.toContain(secret);
});
