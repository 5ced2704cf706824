import { randomUUIDv7 } from 'node:crypto';
import type { Role } from '@gatehouse/shared/access/rbac';
import type { Connection } from '@gatehouse/sso/connection-records';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Membership } from '../../../services/user/access/records.ts';
import { nameKeys } from '../../../services/user/organizations/departments/name-keys.ts';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';
import { type Employer, newEmployer } from './provisioner.ts';

let service: SsoService;
let organization: Employer['organization'];
let organization_id: string;
let engineering: string;
let sales: string;
let connection: Connection;
let email: string;
let warnings: object[];
let logIn: Employer['logIn'];

beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ({ organization, connection, email, warnings, logIn } = await newEmployer(service));
  ({ organization_id, department_id: engineering } = organization);
  sales = await newDepartment('Sales');
});

async function newDepartment(name: string): Promise<string> {
  const department_id = randomUUIDv7();
  const created_at = new Date(service.clock.now()).toISOString();
  await service.db.departments.insertOne({
    department_id,
    organization_id,
    name,
    name_key: nameKeys(name),
    created_at,
    billing: {
      subscription_plan: 'Free',
      payment_status: 'pending',
      subscription_date: created_at.slice(0, 10),
      updated_at: created_at,
    },
  });
  return department_id;
}

const memberships = (user_id: string) => service.db.memberships.find({ user_id }).toArray();
/** The departments of a user with their roles. */
const places = async (user_id: string) =>
  Object.fromEntries((await memberships(user_id)).map(({ department_id, role }) => [department_id, role]));

/** Stores a membership that a person granted. */
const grant = (user_id: string, department_id: string, role: Role) =>
  service.db.memberships.insertOne({
    membership_id: randomUUIDv7(),
    organization_id,
    department_id,
    user_id,
    role,
    granted_by: organization.owner.user_id,
    granted_at: new Date(service.clock.now()).toISOString(),
    joined_at: new Date(service.clock.now()),
  });

/** Stores a chatbot in a department on whose access list a user has granted themselves a role. */
async function newChatbot(
  department_id: string,
  user_id: string,
  role: Role,
  owner_id = organization.owner.user_id,
) {
  const chatbot_id = randomUUIDv7();
  const created_at = new Date(service.clock.now()).toISOString();
  const granted_at = new Date(service.clock.now() + 1).toISOString();
  await service.db.chatbots.insertOne({
    chatbot_id,
    name: 'Receptionist',
    type: 'text',
    avatar_id: 'a',
    language: 'en',
    status: 'active',
    owner_id,
    organization_id,
    department_id,
    permissions: [
      { user_id: owner_id, role: 'Owner', granted_by: owner_id, granted_at: created_at },
      ...(owner_id === user_id ? [] : [{ user_id, role, granted_by: user_id, granted_at }]),
    ],
    created_at,
    updated_at: created_at,
  });
  return async () => {
    const chatbot = await service.db.chatbots.findOne({ chatbot_id });
    return { owner_id: chatbot?.owner_id, users: chatbot?.permissions?.map((each) => each.user_id) };
  };
}

it('adds the person to the department that the provider names', async () => {
  const { user_id } = await logIn({ department: 'Sales', role: 'Editor' });
  expect(await memberships(user_id)).toEqual([
    {
      _id: expect.anything(),
      membership_id: expect.any(String),
      organization_id,
      department_id: sales,
      user_id,
      role: 'Editor',
      granted_by: `sso:${connection.connection_id}`,
      granted_at: new Date(service.clock.now()).toISOString(),
      joined_at: new Date(service.clock.now()),
    } satisfies Membership & { _id: unknown },
  ]);
});

it('lets the person in', async () => {
  const user = await logIn({ department: 'Sales' });
  const { status, body } = await send(`${service.url}/api/v1/organizations`, {
    headers: { authorization: bearerOf(user, service.clock.now()) },
  });
  expect([status, body.data]).toEqual([200, [expect.objectContaining({ organization_id })]]);
});

it('audits the membership', async () => {
  const events = await eventsOf(service, () => logIn({ department: 'Sales' }));
  const { user_id } = (await service.db.users.findOne({ email })) ?? {};
  expect(events.find(({ action }) => action === 'member.grant')).toEqual(
    auditEvent(service.clock.now(), {
      action: 'member.grant',
      user_id: String(user_id),
      email,
      target: { user_id: String(user_id), connection_id: connection.connection_id },
      after: { role: 'Viewer' },
      organization_id,
      department_id: sales,
    }),
  );
});

it.each(['SALES', ' sales ', 'S\u0430les', 'Sa1es', 'Sales\u200b'])(
  'finds Sales by the name %j',
  async (department) => {
    expect(await places((await logIn({ department })).user_id)).toEqual({ [sales]: 'Viewer' });
  },
);

it('prefers the department whose name is closest', async () => {
  const mail = await newDepartment('Mail');
  const mall = await newDepartment('Mall');
  expect(await places((await logIn({ department: 'Mall' })).user_id)).toEqual({ [mall]: 'Viewer' });
  expect(await places((await logIn({ department: 'Mail' })).user_id)).toEqual({ [mail]: 'Viewer' });
});

it.each([undefined, 'Marketing'])(
  'adds the person to the default department when the provider sends %s',
  async (department) => {
    connection.default_department_id = engineering;
    expect(await places((await logIn({ department })).user_id)).toEqual({ [engineering]: 'Viewer' });
  },
);

it.each([undefined, 'Marketing'])(
  'adds the person nowhere without a default when the provider sends %s',
  async (department) => {
    expect(await places((await logIn({ department })).user_id)).toEqual({});
  },
);

it('warns the operator of an unknown department', async () => {
  await logIn({ department: 'Marketing' });
  expect(warnings).toEqual([expect.objectContaining({ department: 'Marketing' })]);
});

it('uses no department of another organization', async () => {
  const other = await service.newOrganization({ domain: null });
  connection.default_department_id = other.department_id;
  expect(await places((await logIn({ department: undefined })).user_id)).toEqual({});
});

it('moves the person when the department changes, and passes on what they had', async () => {
  const { user_id } = await logIn({ department: 'Engineering', role: 'Editor' });
  const shared = await newChatbot(engineering, user_id, 'Editor');
  const own = await newChatbot(engineering, user_id, 'Owner', user_id);
  const events = await eventsOf(service, () => logIn({ department: 'Sales', role: 'Editor' }));
  expect(await places(user_id)).toEqual({ [sales]: 'Editor' });
  const { owner } = organization;
  expect(await shared()).toEqual({ owner_id: owner.user_id, users: [owner.user_id] });
  expect((await own()).owner_id).toBe(owner.user_id);
  expect(
    events.map(({ action, before, after, department_id }) => [action, before, after, department_id]),
  ).toEqual([
    ['member.remove', { role: 'Editor' }, null, engineering],
    ['member.grant', null, { role: 'Editor' }, sales],
  ]);
});

it('ends older invitations to a department that the person leaves', async () => {
  const { user_id } = await logIn({ department: undefined });
  const place = `/api/v1/organizations/${organization_id}/departments/${engineering}`;
  const { owner } = organization;
  const ids = [
    (await owner.call('PUT', `${place}/members/${user_id}`, { role: 'Admin' })).body.invitation_id,
    (await owner.call('POST', `${place}/invitations`, { email, role: 'Admin' })).body.invitation_id,
  ];
  await logIn({ department: 'Engineering' });
  const events = await eventsOf(service, () => logIn({ department: 'Sales' }));
  expect(events[0]).toMatchObject({
    action: 'invitation.withdraw',
    user_id,
    target: { user_id, invitation_id: ids[0], connection_id: connection.connection_id },
    department_id: engineering,
  });
  for (const id of ids) {
    const { status } = await send(`${service.url}/api/v1/invitations/${id}/accept`, {
      method: 'POST',
      headers: { authorization: bearerOf({ user_id, email }, service.clock.now()) },
    });
    expect(status).toBe(404);
  }
  expect(await places(user_id)).toEqual({ [sales]: 'Viewer' });
});

it('ends the membership when the provider names no department any more', async () => {
  const { user_id } = await logIn({ department: 'Sales' });
  await logIn({ department: undefined });
  expect(await places(user_id)).toEqual({});
});

it('keeps the memberships of a person whom SCIM manages when the provider names no department', async () => {
  connection.default_department_id = engineering;
  const { user_id } = await logIn({ department: 'Sales' });
  await service.db.ssoIdentities.updateOne(
    { user_id },
    { $set: { 'scim.active': true, 'scim.user_name_key': email } },
  );
  await logIn({ department: undefined });
  expect(await places(user_id)).toEqual({ [sales]: 'Viewer' });
  await logIn({ department: 'Engineering' });
  expect(await places(user_id)).toEqual({ [engineering]: 'Viewer' });
});

it('lowers a role, with what the person granted themselves above it', async () => {
  const { user_id } = await logIn({ department: 'Sales', role: 'Admin' });
  const chatbot = await newChatbot(sales, user_id, 'Admin');
  await logIn({ department: 'Sales', role: 'Viewer' });
  expect(await places(user_id)).toEqual({ [sales]: 'Viewer' });
  expect((await chatbot()).users).toEqual([organization.owner.user_id]);
  const [membership] = await memberships(user_id);
  expect(membership).not.toHaveProperty('revocation');
});

it('does not write a membership that does not differ', async () => {
  const { user_id } = await logIn({ department: 'Sales' });
  const before = await memberships(user_id);
  service.clock.advance(60);
  await logIn({ department: 'Sales' });
  expect(await memberships(user_id)).toEqual(before);
});

it('does not change a membership that a person granted', async () => {
  const { user_id } = await newMember(service.db, { email });
  await grant(String(user_id), sales, 'Owner');
  await grant(String(user_id), engineering, 'Analyst');
  const before = await memberships(String(user_id));
  await logIn({ department: 'Sales', role: 'Editor' });
  await logIn({ department: 'Engineering', role: 'Editor' });
  await logIn({ department: undefined });
  expect(await memberships(String(user_id))).toEqual(before);
});

it('leaves a membership to the person who has changed it', async () => {
  const { user_id } = await logIn({ department: 'Sales' });
  const path = `/api/v1/organizations/${organization_id}/departments/${sales}/members/${user_id}`;
  expect((await organization.owner.call('PUT', path, { role: 'Owner' })).status).toBe(200);
  await logIn({ department: 'Engineering' });
  expect(await places(user_id)).toEqual({ [sales]: 'Owner', [engineering]: 'Viewer' });
});

it('leaves a membership of another connection alone', async () => {
  const { user_id } = await logIn({ department: 'Sales' });
  const second = await service.newConnection(organization, { protocol: 'ldap' });
  await logIn({ department: 'Engineering' }, second);
  expect(await places(user_id)).toEqual({ [sales]: 'Viewer', [engineering]: 'Viewer' });
});

it('does not add an Owner of the organization', async () => {
  const { user_id } = await newMember(service.db, { email });
  await service.db.organizations.updateOne(
    { organization_id },
    {
      $push: {
        owners: {
          user_id: String(user_id),
          granted_by: String(user_id),
          granted_at: '2026-01-15T09:30:00.000Z',
        },
      },
    },
  );
  await logIn({ department: 'Sales', role: 'Viewer' });
  expect(await places(String(user_id))).toEqual({});
});

it('makes one membership of eight logins at once', async () => {
  await Promise.all(Array.from({ length: 8 }, () => logIn({ department: 'Sales' })));
  const { user_id } = await logIn({ department: 'Sales' });
  expect(await places(user_id)).toEqual({ [sales]: 'Viewer' });
});

it('completes an interrupted change of department at the next login', async () => {
  const { user_id } = await logIn({ department: 'Sales' });
  vi.spyOn(service.db.memberships, 'insertOne').mockRejectedValueOnce(new Error('killed'));
  await expect(logIn({ department: 'Engineering' })).rejects.toThrow('killed');
  await logIn({ department: 'Engineering' });
  expect(await places(user_id)).toEqual({ [engineering]: 'Viewer' });
});

it.each(['department', 'organization'])('changes no membership in an archived %s', async (what) => {
  const { user_id } = await logIn({ department: 'Sales', role: 'Editor' });
  const archive = { $set: { archived_at: new Date(service.clock.now()).toISOString() } };
  await (what === 'department'
    ? service.db.departments.updateOne({ department_id: sales }, archive)
    : service.db.organizations.updateOne({ organization_id }, archive));
  await logIn({ department: 'Sales', role: 'Viewer' });
  expect(await places(user_id)).toEqual({ [sales]: 'Editor' });
  // The membership that would end is in the archived place; the other department is open, unless its organization is not.
  await logIn({ department: 'Engineering', role: 'Viewer' });
  expect((await places(user_id))[sales]).toBe('Editor');
  expect((await places(user_id))[engineering]).toBe(what === 'department' ? 'Viewer' : undefined);
});
