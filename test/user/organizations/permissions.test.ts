import { ROLES } from '@gatehouse/shared/access/rbac';
import { beforeAll, describe, expect, test } from 'vitest';
import { organizations } from '../../../services/user/organizations/organizations.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { send } from '../../fixtures/http.ts';
import { may, SPECIFIED_ROLES } from '../../fixtures/permissions.ts';
import { forbidden, notFound, STRANGE_IDS } from '../access/failures.ts';
import { NOWHERE, type Person } from './organization-service.ts';
import { storeExport } from './store-export.ts';
import { service, team, withOrganizations, withTeam } from './with-organizations.ts';

interface Documented {
  'x-permission': string;
  description: string;
  security: object[];
  tags: string[];
  responses: object;
}
const ORGANIZATION = '/{organization_id}';
const DEPARTMENT = `${ORGANIZATION}/departments/{department_id}`;
/** The bodies of the operations that need one. */
const BODIES: Record<string, object> = {
  'POST ': { name: 'Engines' },
  [`PATCH ${ORGANIZATION}`]: { name: 'Engines' },
  [`PUT ${ORGANIZATION}/second-factor`]: { required: true },
  [`POST ${ORGANIZATION}/departments`]: { name: 'New' },
  [`PATCH ${DEPARTMENT}`]: { name: 'Renamed' },
  [`POST ${DEPARTMENT}/archive`]: { chatbots: 'delete' },
  [`PATCH ${DEPARTMENT}/billing`]: { subscription_plan: 'Starter' },
  [`PUT ${DEPARTMENT}/members/{user_id}`]: { role: 'Viewer' },
  [`POST ${DEPARTMENT}/invitations`]: { email: 'grace@example.com', role: 'Viewer' },
  [`POST ${ORGANIZATION}/exports`]: { format: 'csv', data: ['audit'] },
  [`POST ${DEPARTMENT}/exports`]: { format: 'csv', data: ['audit'] },
};
const BASE = '/api/v1/organizations';
const OPERATIONS = organizations
  .filter(({ path }) => path.startsWith(BASE))
  .map(({ method, path, needs, orOneself, returns }) => {
    const below = path.slice(BASE.length);
    return {
      method,
      /** Below /api/v1/organizations. */
      path: below,
      needs,
      orOneself,
      successes: 'def' in returns || 'fixed' in returns ? [200] : Object.keys(returns).map(Number),
      body: BODIES[`${method} ${below}`],
      /** Whether the places of its path are archived before. */
      restores: path.endsWith('/restore'),
    };
  });
type Operation = (typeof OPERATIONS)[number];
const named = OPERATIONS.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);
const within = (prefix: string) => named.filter(([, { path }]) => path.startsWith(prefix));

/** An Owner of another department of the organization. */
let neighbour: Person;
/** An Owner of another organization. */
let stranger: Person;
let strangersOrganization: string;
/** The paths of /openapi.json. */
let paths: Record<string, Record<string, Documented>>;
withOrganizations();
withTeam();
beforeAll(async () => {
  neighbour = await service.newPerson();
  const other = await service.newDepartment(team.ada, team.organization_id);
  await service.addMember(team.ada, other.place, neighbour, 'Owner');
  const strangers = await service.newTeam();
  stranger = strangers.ada;
  strangersOrganization = strangers.organization_id;
  ({ paths } = (await send(`${service.url}/openapi.json`)).body);
});

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

/** The status with which a call is refused. */
function refusal(
  { method, path, needs }: Operation,
  caller: (typeof CALLERS)[number],
): 403 | 404 | undefined {
  if (needs === 'own') return undefined;
  if (caller === 'a stranger') return 404;
  const isElsewhere = path.startsWith(DEPARTMENT) || isRemoval({ method, path });
  if (caller === 'an Owner of another department' && isElsewhere) return 404;
  if (caller === 'the Owner of the organization' || needs === 'membership') return undefined;
  if (needs === 'ownership') return 403;
  const role = caller === 'an Owner of another department' ? 'Owner' : caller;
  return may(role, needs) ? undefined : 403;
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

  test('succeeds for those who may call it', async () => {
    for (const caller of CALLERS.filter((each) => !refusal(operation, each))) {
      const to = await newTarget(operation, personOf(caller));
      service.clock.advance(1);
      // Some clients name a media type without a body.
      const answer = await personOf(caller).call(method, to, own(), { 'content-type': 'application/json' });
      expect(operation.successes, `by ${caller}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
    }
  });

  test('is refused to everyone else, and changes nothing', async () => {
    const to = await newTarget(operation);
    const before = await team.stored();
    for (const caller of CALLERS.filter((each) => refusal(operation, each))) {
      const failure = refusal(operation, caller) === 403 ? forbidden : notFound;
      const answer = await personOf(caller).call(method, to, own());
      expect(outcome(answer), `by ${caller}`).toStrictEqual(failure(service.clock));
    }
    expect(await team.stored()).toStrictEqual(before);
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
    expect(documented.description).toMatch(/^[A-Z`].*\. /);
    expect(documented.description.endsWith(` ${sentence}`), documented.description).toBe(true);
    expect(documented.security).toStrictEqual([{ bearer: [] }]);
    expect(documented.tags).toStrictEqual(['organizations']);
    expect(Object.keys(documented.responses)).toEqual(
      expect.arrayContaining([...operation.successes.map(String), '401', '403', '429', '503']),
    );
  });
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
  const isPlace = ({ method, path }: Operation) =>
    method === 'GET' && (path === ORGANIZATION || path === DEPARTMENT);

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
      // The places of a path are looked up before anything else, so most operations try only a few spellings.
      for (const part of parts.filter((name) => path.includes(`{${name}}`)))
        for (const id of isPlace(operation) ? STRANGE_IDS : [NOWHERE, '__proto__', '%00']) {
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
