import { randomUUIDv7 } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findOrganizations } from '../../../services/user/admin/organizations/find.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { explained, freshDatabase } from '../../fixtures/database.ts';
import { send } from '../../fixtures/http.ts';
import { forbidden, malformed, missing, notFound, userNotFound } from '../access/failures.ts';
import { storeOrganization } from '../access/store-organization.ts';
import { NOWHERE, onePage } from '../organizations/organization-service.ts';
import { accounts, change, read, service, withAdmin } from './operator-service.ts';

withAdmin();

const reason = 'Ticket 4711';
const list = async (query: string) => (await read(`/organizations${query}`)).body;
const names = async (query: string) => (await list(query)).data.map(({ name }: { name: string }) => name);

/** Stores an organization with one department. @returns its ids. */
async function newPlace(name: string, owners: string[], billing: object = {}) {
  const { db, clock } = service;
  const stored = await storeOrganization(db, { name, owners, departments: ['Support'], now: clock.now() });
  const { organization_id } = stored.organization;
  const department_id = String(stored.departments[0]?.department_id);
  for (const [field, value] of Object.entries(billing))
    await db.departments.updateOne({ department_id }, { $set: { [`billing.${field}`]: value } });
  return { organization_id, department_id, created_at: stored.organization.created_at };
}

const nextSecond = () => service.clock.advance(1);

describe('GET /organizations', () => {
  test('lists all, the newest first, by the beginning of the name, by id and by plan', async () => {
    const owner = await service.newPerson();
    const first = await newPlace('zebra Works', [owner.user_id]);
    nextSecond();
    const paid = { subscription_plan: 'Business', payment_status: 'paid' };
    await newPlace('Zebra Labs', [owner.user_id], paid);
    nextSecond();
    await newPlace('The Zebra', [owner.user_id], { subscription_plan: 'Business' });
    expect(await names('?limit=3')).toEqual(['The Zebra', 'Zebra Labs', 'zebra Works']);
    expect(await names('?order=asc&limit=1')).toEqual(['zebra Works']);
    expect(await names('?search=ZEBRA')).toEqual(['Zebra Labs', 'zebra Works']);
    expect(await names('?search=zebra%20w')).toEqual(['zebra Works']);
    expect(await names('?search=ebra')).toEqual([]);
    expect(await read(`/organizations?search=${first.organization_id.toUpperCase()}`)).toStrictEqual(
      onePage({
        organization_id: first.organization_id,
        name: 'zebra Works',
        created_at: first.created_at,
        plan: 'Free',
        owners_total: 1,
        departments_total: 1,
      }),
    );
    expect((await list('?search=zebra%20l')).data[0].plan).toBe('Business');
    expect((await list('?search=the%20zebra')).data[0].plan).toBe('Free');
    expect(await names('?plan=Business')).toEqual(['The Zebra', 'Zebra Labs']);
    expect(await names('?plan=Business&payment_status=paid')).toEqual(['Zebra Labs']);
    expect(await names('?payment_status=paid&search=the')).toEqual([]);
    expect(await names('?plan=Business&search=THE')).toEqual(['The Zebra']);
    expect(await names(`?plan=Free&search=${first.organization_id}`)).toEqual(['zebra Works']);
    expect((await list('?plan=Business&limit=1')).pagination).toMatchObject({
      total_items: 2,
      has_next: true,
    });
  });

  test('filters by whether they are archived', async () => {
    const owner = await service.newPerson();
    const { organization_id } = await newPlace('Yonder Old', [owner.user_id]);
    await newPlace('Yonder New', [owner.user_id]);
    await service.db.organizations.updateOne({ organization_id }, { $set: { archived_at: service.at() } });
    expect(await names('?search=yonder&archived=true')).toEqual(['Yonder Old']);
    expect(await names('?search=yonder&archived=false')).toEqual(['Yonder New']);
    expect(await names('?archived=true')).toEqual(['Yonder Old']);
    expect(await names('?archived=false')).not.toContain('Yonder Old');
    expect(await names('?archived=true&plan=Free')).toEqual(['Yonder Old']);
  });

  test.each([
    ['plan=Gold', 'plan must be one of Free, Starter, Professional, Business, Enterprise'],
    ['plan[$ne]=Free', 'querystring holds an unknown parameter'],
    ['payment_status=', 'payment_status must be one of pending, paid, failed'],
    ['archived=1', 'archived must be one of true, false'],
    ['search=a&search=b', 'search must be given once'],
    ['search=a%0d%0ab', 'search must be a single line of 0 to 200 characters'],
    ['sort_by=name', 'sort_by must be one of created_at'],
    ['$where=1', 'querystring holds an unknown parameter'],
  ])('refuses ?%s', async (query, details) => {
    expect(await read(`/organizations?${query}`)).toStrictEqual(malformed(details, service.clock));
  });

  test.each(['.*', '^', '(', '[z', '\\', '$ne', '%00'.replace('%00', '*')])(
    'takes the search %s as text',
    async (search) => {
      const query = encodeURIComponent(search);
      expect(await names(`?search=${query}`)).toEqual([]);
      expect(await names(`?plan=Free&search=${query}`)).toEqual([]);
    },
  );
});

describe('GET /organizations/{organization_id}', () => {
  test('tells who leads it, what it has and what it may have', async () => {
    const { db, clock } = service;
    const ada = await service.newPerson({ name: 'Ada' });
    const gone = await service.newPerson({ name: 'Gone', account_status: 'disabled' });
    const place = await newPlace('Engines', [ada.user_id, gone.user_id]);
    const { organization_id, department_id, created_at } = place;
    await db.ssoDomains.insertOne({
      domain_id: randomUUIDv7(),
      organization_id,
      domain: 'engines.example',
      token: 'secret token',
      sso_required: false,
      created_at: new Date(clock.now()),
    });
    expect(await read(`/organizations/${organization_id}`)).toStrictEqual({
      status: 200,
      body: {
        organization_id,
        name: 'Engines',
        created_at,
        plan: 'Free',
        quotas: { departments: { limit: 100, own: false }, members: { limit: null, own: false } },
        owners: [
          { user_id: ada.user_id, name: 'Ada', email: ada.email, able: true, granted_at: created_at },
          { user_id: gone.user_id, name: 'Gone', email: gone.email, able: false, granted_at: created_at },
        ],
        able_owners_total: 1,
        people_total: 0,
        departments_total: 1,
        departments: [
          {
            department_id,
            name: 'Support',
            created_at,
            subscription_plan: 'Free',
            payment_status: 'pending',
            members_total: 0,
          },
        ],
        connections: [],
        domains: [{ domain: 'engines.example', verified: false, sso_required: false }],
        webhooks: { total: 0, disabled: 0, failing: 0 },
      },
    });
  });

  test.each([NOWHERE, '$ne', '..%2f..', '%00'])('has no organization %s', async (id) => {
    const answer = await read(`/organizations/${id}`);
    expect(answer.status === 400 || answer.status === 404).toBe(true);
  });

  test('reading gives the operator no role', async () => {
    const { organization_id } = await newPlace('Closed', [(await service.newPerson()).user_id]);
    await accounts.admin.call('GET', `/organizations/${organization_id}`);
    const own = await send(`${service.url}/api/v1/organizations/${organization_id}`, {
      headers: accounts.admin.headers(),
    });
    expect(own.status).toBe(404);
  });
});

describe('PUT /organizations/{organization_id}/plan', () => {
  test('sets the plan of a department, with its history and for its Owners to see', async () => {
    const owner = await service.newPerson();
    const { organization_id, department_id } = await newPlace('Payers', [owner.user_id]);
    const path = `/organizations/${organization_id}/plan`;
    const body = { department_id, subscription_plan: 'Business', reason };
    const { admin } = accounts;
    const at = service.at();
    const billing = {
      department_id,
      subscription_plan: 'Business',
      payment_status: 'paid',
      subscription_date: at.slice(0, 10),
      updated_at: at,
    };
    const events = await eventsOf(service, async () => {
      expect(await change('PUT', path, body)).toStrictEqual({ status: 200, body: billing });
    });
    expect(events).toStrictEqual([
      auditEvent(service.clock.now(), {
        action: 'admin.organization_plan',
        user_id: admin.user_id,
        email: admin.email.toLowerCase(),
        before: { subscription_plan: 'Free', payment_status: 'pending' },
        after: { subscription_plan: 'Business', payment_status: 'paid', reason },
        organization_id,
        department_id,
      }),
    ]);
    const seen = await owner.call('GET', `/${organization_id}/audit`);
    expect(seen.body.data[0]).toMatchObject({
      action: 'admin.organization_plan',
      actor: { user_id: admin.user_id, email: null },
      address: null,
      after: { subscription_plan: 'Business', payment_status: 'paid', reason },
    });
    expect((await read(`/organizations/${organization_id}`)).body.plan).toBe('Business');
    const history = await service.db.billingEntries.find({ department_id }).toArray();
    expect(history).toMatchObject([
      { kind: 'plan', subscription_plan: 'Business', changed_by: admin.user_id },
    ]);
    // A repeat changes nothing in the history.
    expect((await change('PUT', path, body)).status).toBe(200);
    expect(await service.db.billingEntries.countDocuments({ department_id })).toBe(1);
  });

  test('refuses another organization, archived places and what is not a plan', async () => {
    const owner = await service.newPerson();
    const { organization_id, department_id } = await newPlace('Archives', [owner.user_id]);
    const other = await newPlace('Others', [owner.user_id]);
    const path = `/organizations/${organization_id}/plan`;
    const body = { department_id, subscription_plan: 'Business', reason };
    const stored = () => service.db.departments.find({ organization_id }).toArray();
    const before = await stored();
    const { clock, db } = service;
    expect(await change('PUT', path, { ...body, department_id: other.department_id })).toStrictEqual(
      notFound(clock),
    );
    expect(await change('PUT', path, { ...body, reason: 'no' })).toStrictEqual(
      malformed('reason must have 3 characters or more', clock),
    );
    expect(await change('PUT', path, { department_id, subscription_plan: 'Free' })).toStrictEqual(
      missing('reason is required', clock),
    );
    expect(await change('PUT', path, { ...body, subscription_plan: { $ne: 1 } })).toMatchObject({
      status: 400,
    });
    await db.departments.updateOne({ department_id }, { $set: { archived_at: service.at() } });
    expect(await change('PUT', path, body)).toStrictEqual(forbidden(clock, 'The department is archived'));
    await db.departments.updateOne({ department_id }, { $unset: { archived_at: true } });
    await db.organizations.updateOne({ organization_id }, { $set: { archived_at: service.at() } });
    expect(await change('PUT', path, body)).toStrictEqual(forbidden(clock, 'The organization is archived'));
    expect(await stored()).toStrictEqual(before);
  });
});

describe('PUT /organizations/{organization_id}/quotas', () => {
  test('replaces the quotas of the plan, until null gives them back', async () => {
    const owner = await service.newPerson();
    const { organization_id } = await newPlace('Quotas', [owner.user_id]);
    const path = `/organizations/${organization_id}/quotas`;
    const set = async (departments: number | null, members: number | null) =>
      (await change('PUT', path, { departments, members, reason })).body.quotas;
    const add = (name: string) => owner.call('POST', `/${organization_id}/departments`, { name });
    expect(await set(2, 1)).toStrictEqual({
      departments: { limit: 2, own: true },
      members: { limit: 1, own: true },
    });
    const second = await add('Second');
    expect(second.status).toBe(201);
    expect((await add('Third')).body.error.details).toBe('An organization here has at most 2 departments');
    const place = `/${organization_id}/departments/${second.body.department_id}`;
    await service.addMember(owner, place, await service.newPerson(), 'Viewer');
    const late = await service.newPerson();
    const { email } = late;
    const invited = await owner.call('POST', `${place}/invitations`, { email, role: 'Viewer' });
    const refused = await service.accept(late, invited.body.invitation_id);
    expect(refused.body.error.details).toBe('A department here has at most 1 members');
    expect(await set(null, null)).toStrictEqual({
      departments: { limit: 100, own: false },
      members: { limit: null, own: false },
    });
    expect((await add('Third')).status).toBe(201);
    expect((await service.accept(late, invited.body.invitation_id)).status).toBe(200);
    const stored = await service.db.organizations.findOne({ organization_id });
    expect(stored).not.toHaveProperty('quotas');
  });

  test.each([
    [{ departments: 0, members: null, reason }, 'departments must be an integer from 1 to 10000, or null'],
    [{ departments: 1.5, members: null, reason }, 'departments must be an integer from 1 to 10000, or null'],
    [{ departments: null, members: '9', reason }, 'members must be an integer from 1 to 1000000, or null'],
    [
      { departments: null, members: { $gt: 0 }, reason },
      'members must be an integer from 1 to 1000000, or null',
    ],
  ])('refuses %j', async (body, details) => {
    expect(await change('PUT', `/organizations/${NOWHERE}/quotas`, body)).toStrictEqual(
      malformed(details, service.clock),
    );
  });
});

describe('POST /organizations/{organization_id}/owners', () => {
  const add = (organization_id: string, user_id: string) =>
    change('POST', `/organizations/${organization_id}/owners`, { user_id, reason });

  test('gives an Owner to an organization that nobody can lead', async () => {
    const gone = await service.newPerson({ account_status: 'disabled' });
    const heir = await service.newPerson();
    const { organization_id } = await newPlace('Orphans', [gone.user_id]);
    const { admin } = accounts;
    const owner = { user_id: heir.user_id, granted_by: admin.user_id, granted_at: service.at() };
    const events = await eventsOf(service, async () => {
      expect(await add(organization_id, heir.user_id)).toStrictEqual({ status: 201, body: owner });
    });
    const event = {
      user_id: admin.user_id,
      email: admin.email.toLowerCase(),
      target: { user_id: heir.user_id },
      organization_id,
    };
    expect(events).toStrictEqual([
      auditEvent(service.clock.now(), {
        ...event,
        action: 'admin.owner_add',
        after: { role: 'Owner', reason },
      }),
      auditEvent(service.clock.now(), {
        ...event,
        action: 'owner.add',
        after: { role: 'Owner', by: 'operator' },
      }),
    ]);
    const seen = (await heir.call('GET', `/${organization_id}/audit`)).body.data;
    expect(
      seen.slice(0, 2).map(({ actor, address }: Record<string, unknown>) => ({ actor, address })),
    ).toEqual(Array(2).fill({ actor: { user_id: admin.user_id, email: null }, address: null }));
    const own = (await heir.ask('GET', '/api/v1/users/me/audit')).body.data;
    expect(own.map(({ action }: { action: string }) => action)).toContain('admin.owner_add');
  });

  test('refuses while an Owner can act, for the operator, and for an account that cannot act', async () => {
    const { db, clock } = service;
    const able = await service.newPerson();
    const gone = await service.newPerson({ account_status: 'paused' });
    const heir = await service.newPerson();
    const led = await newPlace('Led', [gone.user_id, able.user_id]);
    const orphan = await newPlace('Orphan', [gone.user_id]);
    const { organization_id } = orphan;
    expect(await add(led.organization_id, heir.user_id)).toStrictEqual(
      forbidden(clock, 'The organization has an Owner who can act'),
    );
    expect(await add(organization_id, accounts.admin.user_id)).toStrictEqual(
      forbidden(clock, 'Operators cannot make themselves an Owner'),
    );
    for (const user_id of ['User-1', (await service.newPerson({ verified: false })).user_id, gone.user_id])
      expect(await add(organization_id, user_id)).toStrictEqual(userNotFound(clock));
    expect(await add(NOWHERE, heir.user_id)).toStrictEqual(notFound(clock));
    await db.organizations.updateOne({ organization_id }, { $set: { deleting: true } });
    expect(await add(organization_id, heir.user_id)).toStrictEqual(notFound(clock));
    expect((await db.organizations.findOne({ organization_id }))?.owners).toHaveLength(1);
  });

  test('of two at once, one gives the Owner', async () => {
    const gone = await service.newPerson({ account_status: 'disabled' });
    const heirs = await Promise.all(Array.from({ length: 5 }, () => service.newPerson()));
    const { organization_id } = await newPlace('Race', [gone.user_id]);
    const answers = await Promise.all(heirs.map(({ user_id }) => add(organization_id, user_id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403, 403]);
    expect((await service.db.organizations.findOne({ organization_id }))?.owners).toHaveLength(2);
  });
});

describe('POST /organizations/{organization_id}/archive and /restore', () => {
  test('close and reopen it, for its Owners to see', async () => {
    const owner = await service.newPerson();
    const { organization_id } = await newPlace('Closing', [owner.user_id], { payment_status: 'paid' });
    const path = `/organizations/${organization_id}`;
    const archived = await change('POST', `${path}/archive`, { reason });
    const { archived_at, deletes_at } = archived.body;
    expect(archived.status).toBe(200);
    expect(archived_at).toBe(service.at());
    expect(await change('POST', `${path}/archive`, { reason })).toStrictEqual(archived);
    expect((await owner.call('POST', `/${organization_id}/departments`, { name: 'New' })).status).toBe(403);
    const restored = await change('POST', `${path}/restore`, { reason });
    expect(restored.body).not.toHaveProperty('archived_at');
    expect(await change('POST', `${path}/restore`, { reason })).toStrictEqual(restored);
    const [department] = (await read(path)).body.departments;
    expect(department.payment_status).toBe('pending');
    const seen = (await owner.call('GET', `/${organization_id}/audit`)).body.data;
    expect(seen.map(({ action, before, after }: Record<string, unknown>) => [action, before, after])).toEqual(
      [
        ['admin.organization_restore', { deletes_at }, { reason }],
        ['admin.organization_archive', null, { deletes_at, reason }],
      ],
    );
  });

  test('a deletion that has begun cannot be undone', async () => {
    const { organization_id } = await newPlace('Going', [(await service.newPerson()).user_id]);
    const path = `/organizations/${organization_id}`;
    await change('POST', `${path}/archive`, { reason });
    await service.db.organizations.updateOne({ organization_id }, { $set: { deleting: true } });
    expect(await change('POST', `${path}/restore`, { reason })).toStrictEqual(notFound(service.clock));
  });
});

test('a page of a list examines few other organizations', async () => {
  const database = await freshDatabase(COLLECTIONS);
  const { db } = database;
  await db.organizations.insertMany(
    Array.from({ length: 2_000 }, (_, index) => ({
      organization_id: randomUUIDv7(),
      name: `${index % 100 === 0 ? 'Zebra' : 'Acme'} ${index}`,
      owners: [],
      created_at: new Date(index * 1_000).toISOString(),
      ...(index % 200 === 0 && { archived_at: new Date(index * 1_000).toISOString() }),
    })),
  );
  const page = { page: 1, limit: 10, order: 'desc' } as const;
  const explainedPage = async (query: object) => {
    const run = () => findOrganizations(db, { ...page, ...query }, {});
    const [find] = await explained(db, run, { find: 'organizations' });
    expect(find?.plan).not.toContain('COLLSCAN');
    return find;
  };
  expect((await explainedPage({}))?.examined).toBeLessThanOrEqual(21);
  expect((await explainedPage({ archived: 'true' }))?.examined).toBeLessThanOrEqual(21);
  // The standalone database has no ranges in the order of a collation: it reads the index.
  expect((await explainedPage({ search: 'zebra' }))?.plan).toContain('gatehouse_name_organization_id');
  await database.drop();
});
