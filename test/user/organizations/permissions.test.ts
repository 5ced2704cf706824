import { ROLES } from '@gatehouse/shared/access/rbac';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { send } from '../../fixtures/http.ts';
import { may, SPECIFIED_ROLES } from '../../fixtures/permissions.ts';
import { forbidden, notFound, STRANGE_IDS } from '../access/failures.ts';
import {
  NOWHERE,
  type OrganizationService,
  type Person,
  startOrganizationService,
  type Team,
} from './organization-service.ts';
import { storeExport } from './store-export.ts';

interface Documented {
  'x-permission': string;
  description: string;
  security: object[];
  tags: string[];
  responses: object;
}
interface Operation {
  method: string;
  /** The path in the OpenAPI document, below /api/v1/organizations. */
  path: string;
  /** A permission of the table, or another requirement. */
  needs: string;
  /** Whether members need no permission to do it to themselves. */
  orOneself?: boolean;
  body?: object;
  success?: number;
  /** Whether the places of its path are archived before. */
  restores?: boolean;
}

const ORGANIZATION = '/{organization_id}';
const DEPARTMENT = `${ORGANIZATION}/departments/{department_id}`;
const OPERATIONS: Operation[] = [
  { method: 'GET', path: '', needs: 'own' },
  { method: 'POST', path: '', needs: 'own', body: { name: 'Engines' }, success: 201 },
  { method: 'GET', path: ORGANIZATION, needs: 'membership' },
  { method: 'PATCH', path: ORGANIZATION, needs: 'ownership', body: { name: 'Engines' } },
  { method: 'POST', path: `${ORGANIZATION}/archive`, needs: 'ownership' },
  { method: 'POST', path: `${ORGANIZATION}/restore`, needs: 'ownership', restores: true },
  { method: 'DELETE', path: `${ORGANIZATION}/members/{user_id}`, needs: 'remove users', orOneself: true },
  { method: 'GET', path: `${ORGANIZATION}/audit`, needs: 'ownership' },
  { method: 'GET', path: `${ORGANIZATION}/owners`, needs: 'view users' },
  { method: 'PUT', path: `${ORGANIZATION}/owners/{user_id}`, needs: 'ownership', success: 202 },
  { method: 'DELETE', path: `${ORGANIZATION}/owners/{user_id}`, needs: 'ownership' },
  { method: 'GET', path: `${ORGANIZATION}/offers`, needs: 'ownership' },
  { method: 'DELETE', path: `${ORGANIZATION}/offers/{invitation_id}`, needs: 'ownership' },
  { method: 'POST', path: `${ORGANIZATION}/offers/{invitation_id}/resend`, needs: 'ownership' },
  { method: 'GET', path: `${ORGANIZATION}/departments`, needs: 'membership' },
  {
    method: 'POST',
    path: `${ORGANIZATION}/departments`,
    needs: 'ownership',
    body: { name: 'New' },
    success: 201,
  },
  { method: 'GET', path: DEPARTMENT, needs: 'membership' },
  { method: 'PATCH', path: DEPARTMENT, needs: 'ownership', body: { name: 'Renamed' } },
  {
    method: 'POST',
    path: `${DEPARTMENT}/archive`,
    needs: 'ownership',
    body: { chatbots: 'delete' },
  },
  { method: 'POST', path: `${DEPARTMENT}/restore`, needs: 'ownership', restores: true },
  { method: 'GET', path: `${DEPARTMENT}/analytics`, needs: 'view analytics' },
  { method: 'GET', path: `${DEPARTMENT}/billing`, needs: 'view billing' },
  { method: 'GET', path: `${DEPARTMENT}/billing/history`, needs: 'manage payment' },
  {
    method: 'PATCH',
    path: `${DEPARTMENT}/billing`,
    needs: 'upgrade/downgrade plan',
    body: { subscription_plan: 'Starter' },
  },
  { method: 'GET', path: `${ORGANIZATION}/members`, needs: 'ownership' },
  { method: 'GET', path: `${ORGANIZATION}/members/{user_id}`, needs: 'view users', orOneself: true },
  { method: 'GET', path: `${DEPARTMENT}/members`, needs: 'view users' },
  { method: 'GET', path: `${DEPARTMENT}/members/{user_id}`, needs: 'view users', orOneself: true },
  {
    method: 'PUT',
    path: `${DEPARTMENT}/members/{user_id}`,
    needs: 'assign roles',
    body: { role: 'Viewer' },
  },
  { method: 'DELETE', path: `${DEPARTMENT}/members/{user_id}`, needs: 'remove users', orOneself: true },
  { method: 'GET', path: `${DEPARTMENT}/invitations`, needs: 'view users' },
  {
    method: 'POST',
    path: `${DEPARTMENT}/invitations`,
    needs: 'add users',
    body: { email: 'grace@example.com', role: 'Viewer' },
    success: 201,
  },
  { method: 'DELETE', path: `${DEPARTMENT}/invitations/{invitation_id}`, needs: 'remove users' },
  { method: 'POST', path: `${DEPARTMENT}/invitations/{invitation_id}/resend`, needs: 'add users' },
  ...[
    { place: ORGANIZATION, exporting: 'ownership', reporting: 'ownership' },
    { place: DEPARTMENT, exporting: 'export data', reporting: 'custom reports' },
  ].flatMap(({ place, exporting: needs, reporting }) => [
    {
      method: 'POST',
      path: `${place}/exports`,
      needs,
      body: { format: 'csv', data: ['audit'] },
      success: 202,
    },
    { method: 'GET', path: `${place}/exports`, needs },
    { method: 'GET', path: `${place}/exports/{export_id}`, needs },
    { method: 'GET', path: `${place}/exports/{export_id}/download`, needs },
    { method: 'DELETE', path: `${place}/exports/{export_id}`, needs },
    { method: 'GET', path: `${place}/reports`, needs: reporting },
  ]),
];
const named = OPERATIONS.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);
const within = (prefix: string) => named.filter(([, { path }]) => path.startsWith(prefix));

let service: OrganizationService;
let team: Team;
/** An Owner of another department of the organization. */
let neighbour: Person;
/** An Owner of another organization. */
let stranger: Person;
let strangersOrganization: string;
/** The paths of /openapi.json. */
let paths: Record<string, Record<string, Documented>>;
beforeAll(async () => {
  service = await startOrganizationService();
  team = await service.newTeam();
  neighbour = await service.newPerson();
  const other = await service.newDepartment(team.ada, team.organization_id);
  await service.addMember(team.ada, other.place, neighbour, 'Owner');
  const strangers = await service.newTeam();
  stranger = strangers.ada;
  strangersOrganization = strangers.organization_id;
  ({ paths } = (await send(`${service.url}/openapi.json`)).body);
});
afterAll(() => service.stop());

const MEMBERS = ['the Owner of the organization', ...ROLES] as const;
const CALLERS = [...MEMBERS, 'an Owner of another department', 'a stranger'] as const;
const personOf = (caller: (typeof CALLERS)[number]): Person => {
  if (caller === 'the Owner of the organization') return team.ada;
  if (caller === 'an Owner of another department') return neighbour;
  return caller === 'a stranger' ? stranger : team.people[caller];
};

/** The removal of a person from every department. */
const isRemoval = ({ method, path }: Pick<Operation, 'method' | 'path'>) =>
  method === 'DELETE' && path === `${ORGANIZATION}/members/{user_id}`;

function expected(
  { method, path, needs, success = 200 }: Operation,
  caller: (typeof CALLERS)[number],
): number {
  if (needs === 'own') return success;
  if (caller === 'a stranger') return 404;
  const isElsewhere = path.startsWith(DEPARTMENT) || isRemoval({ method, path });
  if (caller === 'an Owner of another department' && isElsewhere) return 404;
  if (caller === 'the Owner of the organization' || needs === 'membership') return success;
  if (needs === 'ownership') return 403;
  const role = caller === 'an Owner of another department' ? 'Owner' : caller;
  return may(role, needs) ? success : 403;
}

/** Archives one of the places of the team, and restores the other. */
async function setArchived(what: 'organization' | 'department' | null): Promise<void> {
  const { organization_id, department_id } = team;
  const archive = { $set: { archived_at: service.at(), deletes_at: service.at() } };
  const restore = { $unset: { archived_at: true, deletes_at: true } } as const;
  const { organizations, departments } = service.db;
  await organizations.updateOne({ organization_id }, what === 'organization' ? archive : restore);
  await departments.updateOne({ department_id }, what === 'department' ? archive : restore);
}

/** Whether an operation may have archived or restored a place since both were last set. */
let mayBeArchived = false;

/** The path of an operation, aimed at a new user, invitation or export of the caller. */
async function newTarget({ method, path, restores }: Operation, caller = team.ada): Promise<string> {
  const target = await service.newPerson();
  let invitation_id = '';
  const { organization_id, department_id } = team;
  if (restores || mayBeArchived)
    await setArchived(restores ? (path.startsWith(DEPARTMENT) ? 'department' : 'organization') : null);
  mayBeArchived = path.endsWith('/archive') || path.endsWith('/restore');
  // An organization stores only a few exports.
  if (path.includes('/exports')) await service.db.exports.deleteMany({ organization_id });
  const export_id = path.includes('{export_id}')
    ? await storeExport(service, { organization_id, department_id, created_by: caller.user_id })
    : '';
  if (isRemoval({ method, path }) || (path.endsWith('{user_id}') && path.startsWith(DEPARTMENT)))
    await service.storeMember(team, target, 'Analyst');
  else if (path.endsWith('/members/{user_id}') || (method === 'DELETE' && path.endsWith('{user_id}')))
    await service.db.organizations.updateOne(
      { organization_id: team.organization_id },
      { $push: { owners: { user_id: target.user_id, granted_by: 'x', granted_at: service.at() } } },
    );
  else if (path.includes('/offers/')) invitation_id = await service.storeOffer(team, target);
  else if (path.includes('{invitation_id}'))
    invitation_id = await service.storeInvitation(team, { email: target.email.toLowerCase() });
  return path
    .replace('{organization_id}', team.organization_id)
    .replace('{department_id}', team.department_id)
    .replace('{user_id}', target.user_id)
    .replace('{invitation_id}', invitation_id)
    .replace('{export_id}', export_id);
}

describe.each(named)('%s', (_name, operation) => {
  const { method, path, body } = operation;
  /** Makes the names of departments and the invited addresses unique. */
  let turn = 0;
  const own = () => {
    turn += 1;
    if (body && 'email' in body) return { ...body, email: `grace${turn}@example.com` };
    return path.includes('departments') && body && 'name' in body ? { name: `${body.name} ${turn}` } : body;
  };

  test.each(CALLERS)('by %s', async (caller) => {
    const to = await newTarget(operation, personOf(caller));
    const status = expected(operation, caller);
    const before = await team.stored();
    service.clock.advance(1);
    const answer = await personOf(caller).call(method, to, own());
    if (status === 403) expect(outcome(answer)).toStrictEqual(forbidden(service.clock));
    else if (status === 404) expect(outcome(answer)).toStrictEqual(notFound(service.clock));
    else expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    if (status >= 400 || method === 'GET') expect(await team.stored()).toStrictEqual(before);
    else if (path !== '') expect(await team.stored()).not.toStrictEqual(before);
  });

  test('documents its requirement', () => {
    const documented = paths[`/api/v1/organizations${path}`]?.[method.toLowerCase()] as Documented;
    const beyond: Record<string, string> = {
      own: 'Concerns the caller alone.',
      membership: 'Needs any role here.',
      ownership: 'Needs to be an Owner of the organization.',
    };
    const oneself = operation.orOneself ? ', except for oneself' : '';
    const tabled = () => {
      const roles = SPECIFIED_ROLES.filter((role) => may(role, operation.needs)).join(', ');
      return `Needs the permission "${operation.needs}" (${roles})${oneself}.`;
    };
    const sentence = beyond[operation.needs] ?? tabled();
    expect(documented['x-permission']).toBe(operation.needs);
    expect(documented.description).toMatch(/^[A-Z].*\. /);
    expect(documented.description.endsWith(` ${sentence}`), documented.description).toBe(true);
    expect(documented.security).toStrictEqual([{ bearer: [] }]);
    expect(documented.tags).toStrictEqual(['organizations']);
    expect(Object.keys(documented.responses)).toEqual(
      expect.arrayContaining([String(operation.success ?? 200), '401', '403', '429', '503']),
    );
  });
});

test('accepts content-type: application/json on calls without a body', async () => {
  for (const [, operation] of named.filter(([, { body }]) => !body)) {
    const answer = await team.ada.call(operation.method, await newTarget(operation), undefined, {
      'content-type': 'application/json',
    });
    expect(answer.status, `${operation.method} ${operation.path}`).toBe(operation.success ?? 200);
  }
});

test('these tests cover every operation', () => {
  const served = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/organizations'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => `${method.toUpperCase()} ${path.slice('/api/v1/organizations'.length)}`,
      ),
    );
  expect(served.sort()).toEqual(named.map(([name]) => name).sort());
});

describe('a member’s own record', () => {
  test.each(ROLES)('%s reads their own role, and leaves', async (role) => {
    const person = await service.newPerson();
    await service.addMember(team.ada, team.place, person, role);
    const own = `${team.place}/members/${person.user_id}`;
    expect(outcome(await person.call('GET', own))).toStrictEqual({
      status: 200,
      body: {
        chatbot_roles: [],
        chatbot_roles_total: 0,
        user_id: person.user_id,
        name: 'Person',
        role,
        email: null,
        granted_by: team.ada.user_id,
        granted_at: service.at(),
      },
    });
    expect(outcome(await person.call('DELETE', own))).toStrictEqual({
      status: 200,
      body: { message: 'Member removed' },
    });
    expect(outcome(await person.call('GET', own))).toStrictEqual(notFound(service.clock));
  });

  test('matches only the caller’s exact id, in a department of theirs', async () => {
    const { Analyst } = team.people;
    const { user_id } = Analyst;
    const to = (id: string) => `${team.place}/members/${id}`;
    expect((await Analyst.call('GET', to(user_id.replace('-', '%2D')))).status).toBe(200);
    for (const id of [
      user_id.toLowerCase(),
      `${user_id}%20`,
      `${user_id}%00`,
      `${user_id},${user_id}`,
      '*',
    ]) {
      expect(outcome(await Analyst.call('GET', to(id))), id).toStrictEqual(forbidden(service.clock));
      expect(outcome(await Analyst.call('DELETE', to(id))), id).toStrictEqual(forbidden(service.clock));
    }
    const { place } = await service.newDepartment(team.ada, team.organization_id);
    for (const method of ['GET', 'DELETE'])
      expect(outcome(await Analyst.call(method, `${place}/members/${user_id}`))).toStrictEqual(
        notFound(service.clock),
      );
    expect((await Analyst.call('GET', to(user_id))).status).toBe(200);
  });
});

describe('isolation', () => {
  /** Everything that a client can compare between two answers. */
  async function fingerprint(person: Person, method: string, path: string, body?: object) {
    const { headers, ...answer } = await person.call(method, path, body, { 'x-request-id': 'the-same' });
    const compared = [...headers].filter(([name]) => name !== 'date');
    return { headers: compared, text: JSON.stringify(answer) };
  }

  test.each(within(DEPARTMENT))(
    '%s: an invisible department is indistinguishable from an unknown one',
    async (_name, { method, path, body }) => {
      const to = (organization_id: string, department_id: string) =>
        path
          .replace('{organization_id}', organization_id)
          .replace('{department_id}', department_id)
          .replace('{user_id}', team.people.Viewer.user_id)
          .replace('{invitation_id}', NOWHERE);
      const { organization_id, department_id } = team;
      for (const [person, here] of [
        [stranger, organization_id],
        [neighbour, organization_id],
        [stranger, strangersOrganization],
        [stranger, NOWHERE],
        [team.ada, strangersOrganization],
      ] as const) {
        const unknown = await fingerprint(person, method, to(here, NOWHERE), body);
        expect(unknown.text).toContain('"status":404');
        expect(await fingerprint(person, method, to(here, department_id), body)).toStrictEqual(unknown);
      }
    },
  );

  test.each(within(ORGANIZATION).filter(([, { path }]) => !path.startsWith(DEPARTMENT)))(
    '%s: an invisible organization is indistinguishable from an unknown one',
    async (_name, { method, path, body }) => {
      const to = (id: string) => path.replace('{organization_id}', id).replace('{user_id}', team.ada.user_id);
      const unknown = await fingerprint(stranger, method, to(NOWHERE), body);
      expect(unknown.text).toContain('"status":404');
      expect(await fingerprint(stranger, method, to(team.organization_id), body)).toStrictEqual(unknown);
    },
  );

  test.each(within(ORGANIZATION))(
    '%s: returns 404 for an unknown id, however spelled',
    async (_name, operation) => {
      const { method, path, body } = operation;
      const before = await team.stored();
      const ids = { organization_id: team.organization_id, department_id: team.department_id };
      // Operations below a department vary its id only; those on the department vary both.
      const parts = path.startsWith(`${DEPARTMENT}/`) ? ['department_id'] : Object.keys(ids);
      // One hook serves every method, so the writes try only a few spellings.
      for (const part of parts.filter((name) => path.includes(`{${name}}`)))
        for (const id of method === 'GET' ? STRANGE_IDS : [NOWHERE, '__proto__', '%00']) {
          const filled = { ...ids, user_id: team.people.Viewer.user_id, invitation_id: NOWHERE, [part]: id };
          const to = Object.entries(filled).reduce(
            (rest, [name, value]) => rest.replace(`{${name}}`, () => value),
            path,
          );
          const answer = await team.ada.call(method, to, body);
          expect(outcome(answer), `${part} ${id.slice(0, 40)}`).toStrictEqual(notFound(service.clock));
        }
      expect(await team.stored()).toStrictEqual(before);
    },
  );

  test('returns 404 for a department under another organization, even to an Owner of both', async () => {
    const second = await service.create(team.ada, '', { name: 'Second' });
    for (const rest of ['', '/members', '/invitations', '/billing', '/analytics', '/exports', '/reports'])
      expect(
        outcome(
          await team.ada.call('GET', `/${second.organization_id}/departments/${team.department_id}${rest}`),
        ),
      ).toStrictEqual(notFound(service.clock));
  });
});
