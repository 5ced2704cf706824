import { randomUUIDv7 } from 'node:crypto';
import { ROLES, type Role } from '@gatehouse/shared/access/rbac';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { Collection, Document } from 'mongodb';
import { expect, vi } from 'vitest';
import type { ExportTuning } from '../../../services/user/organizations/exports/worker.ts';
import { send, sendJson } from '../../fixtures/http.ts';
import { accountRecord, bearerOf, newMember } from '../../fixtures/members.ts';
import { startServices } from '../../fixtures/services.ts';
import { storeOrganization } from '../access/store-organization.ts';
import { RECEPTIONIST } from '../chatbots/chatbot-service.ts';

/** A refused call may count what is there. */
const COUNTERS = ['departments_reserved', 'members_reserved', 'people_enrolled'];

/** Starts the login and user service on a fresh database, with helpers to create callers and organizations. */
export async function startOrganizationService({
  env = {},
  exportTuning = {},
}: {
  env?: NodeJS.ProcessEnv;
  exportTuning?: ExportTuning;
} = {}) {
  const services = await startServices({
    env: { PASSWORD_STORAGE: 'plain', TRUST_PROXY: 'loopback', ...env },
    exportTuning,
  });
  const { db, clock, mailbox, user: url } = services;

  let people = 0;
  const newPerson = async (fields: object = {}) => personOf(await newMember(db, fields));

  /** A user whose calls each use a new session, so that advancing the clock expires none. */
  function personOf(user: User) {
    people += 1;
    /** Each person calls from their own network. */
    const address = `10.${people >> 16}.${(people >> 8) & 255}.${people & 255}`;
    const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const sent = {
        authorization: bearerOf(user, clock.now()),
        'x-forwarded-for': address,
        ...headers,
      };
      return body === undefined
        ? send(`${url}${path}`, { method, headers: sent })
        : sendJson(method, `${url}${path}`, body, sent);
    };
    return {
      user_id: String(user.user_id),
      email: user.email,
      address,
      /** The Authorization header of a new session. */
      bearer: () => bearerOf(user, clock.now()),
      ask,
      /** @param path below /api/v1/organizations. */
      call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
        ask(method, `/api/v1/organizations${path}`, body, headers),
    };
  }
  type Person = ReturnType<typeof personOf>;

  async function create(person: Person, path: string, body: unknown) {
    const answer = await person.call('POST', path, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  let made = 0;
  /** Creates a department. @returns its record, its id and its path. */
  async function newDepartment(owner: Person, organization_id: string, name = `Department ${++made}`) {
    const record = await create(owner, `/${organization_id}/departments`, { name });
    const department_id: string = record.department_id;
    return { record, department_id, place: `/${organization_id}/departments/${department_id}` };
  }

  /** Grants a user a role in the department at `place`. A user without a role in the organization is invited and accepts. */
  const addMember = (granter: Person, place: string, person: Person, role: Role) =>
    grant(granter, `${place}/members/${person.user_id}`, { role }, person);

  /** Invites a user by address, who accepts. */
  async function inviteMember(inviter: Person, place: string, person: Person, role: Role) {
    const { email } = person;
    const { invitation_id } = await create(inviter, `${place}/invitations`, { email, role });
    const { status, body } = await accept(person, invitation_id);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  /** Makes a user an Owner of an organization, who accepts the offer. */
  const addOwner = (owner: Person, organization_id: string, person: Person, body: object = {}) =>
    grant(owner, `/${organization_id}/owners/${person.user_id}`, body, person);

  async function grant(granter: Person, path: string, sent: object, person: Person) {
    const { status, body } = await granter.call('PUT', path, sent);
    const granted = status === 202 ? await accept(person, body.invitation_id) : { status, body };
    if (granted.status !== 200) throw new Error(JSON.stringify(granted.body));
  }

  const accept = (person: Person, invitation_id: string) =>
    person.ask('POST', `/api/v1/invitations/${invitation_id}/accept`);

  /** Stores the membership of a user in the department of a team. */
  const storeMember = (
    { organization_id, department_id, ada }: { organization_id: string; department_id: string; ada: Person },
    { user_id }: Person,
    role: Role,
  ) =>
    db.memberships.insertOne({
      membership_id: randomUUIDv7(),
      organization_id,
      department_id,
      user_id,
      role,
      granted_by: ada.user_id,
      granted_at: new Date(clock.now()).toISOString(),
      joined_at: new Date(clock.now()),
    });

  /** Stores an organization of a new Owner with one department, which has a member of each role. */
  async function newTeam({ name = 'Analytical Engines' }: { name?: string } = {}) {
    const accounts = [accountRecord(), ...ROLES.map(() => accountRecord())];
    const [ada, ...members] = accounts.map(personOf) as [Person, ...Person[]];
    const people = Object.fromEntries(ROLES.map((role, index) => [role, members[index]])) as Record<
      Role,
      Person
    >;
    const [{ organization, departments }] = await Promise.all([
      storeOrganization(db, {
        name,
        owners: [ada.user_id],
        departments: [`Department ${++made}`],
        now: clock.now(),
      }),
      db.users.insertMany(accounts),
    ]);
    const [department] = departments as [(typeof departments)[0]];
    const { organization_id, department_id } = department;
    await db.memberships.insertMany(
      ROLES.map((role) => ({
        membership_id: randomUUIDv7(),
        organization_id,
        department_id,
        user_id: people[role].user_id,
        role,
        granted_by: ada.user_id,
        granted_at: organization.created_at,
      })),
    );
    const place = `/${organization_id}/departments/${department_id}`;
    /** Everything stored for this team, to show that a refused call changes nothing. */
    const stored = (): Promise<Document[]> => {
      const own = { $match: { organization_id } };
      const union = ({ collectionName: coll }: { collectionName: string }, ...pipeline: Document[]) => ({
        $unionWith: { coll, pipeline: [own, { $sort: { _id: 1 } }, ...pipeline] },
      });
      return db.organizations
        .aggregate([
          own,
          union(db.departments),
          union(db.memberships),
          { $unset: COUNTERS },
          union(db.exports, { $project: { export_id: 1 } }),
        ])
        .toArray();
    };
    return { ada, organization, organization_id, department, department_id, place, people, stored };
  }

  /** Stores an invitation by an Owner of the organization without sending a mail. @returns its id. */
  async function storeInvitation(
    { organization_id, department_id }: { organization_id: string; department_id: string },
    fields:
      | { email: string; role?: Role; days?: number }
      | { invited_id: string; role?: Role; days?: number },
  ) {
    const membership_id = randomUUIDv7();
    const organization = await db.organizations.findOne({ organization_id });
    const { role = 'Viewer', days = 14, ...invitee } = fields;
    const valid_until = clock.now() + days * 86_400_000;
    await db.memberships.insertOne({
      membership_id,
      organization_id,
      department_id,
      ...invitee,
      role,
      granted_by: String(organization?.owners[0]?.user_id),
      granted_at: new Date(clock.now()).toISOString(),
      valid_until: new Date(valid_until),
      expires_at: new Date(valid_until + 30 * 86_400_000),
    });
    return membership_id;
  }

  /** Stores an offer to become an Owner, made by the Owner of a team. @returns its id. */
  async function storeOffer(
    { organization_id, ada }: { organization_id: string; ada: Person },
    { user_id }: Person,
    transfer = false,
  ) {
    const invitation_id: string = randomUUIDv7();
    const granted_at = new Date(clock.now()).toISOString();
    const expires_at = new Date(clock.now() + 14 * 86_400_000);
    const offer = { invitation_id, user_id, transfer, granted_by: ada.user_id, granted_at, expires_at };
    await db.organizations.updateOne({ organization_id }, { $push: { offers: offer } });
    return invitation_id;
  }

  return {
    ...services,
    url,
    newPerson,
    create,
    newDepartment,
    addMember,
    addOwner,
    inviteMember,
    accept,
    storeMember,
    newTeam,
    storeInvitation,
    storeOffer,
    /** Creates a chatbot in a department. */
    async newChatbot(owner: Person, department_id: string, fields: object = {}) {
      const answer = await owner.ask('POST', '/api/v1/chatbots/create', {
        ...RECEPTIONIST,
        department_id,
        ...fields,
      });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    mailsTo: (email: string) => mailbox.mails.filter(({ recipients }) => recipients.includes(email)),
    at: () => new Date(clock.now()).toISOString(),
  };
}

export type OrganizationService = Awaited<ReturnType<typeof startOrganizationService>>;
export type Person = Awaited<ReturnType<OrganizationService['newPerson']>>;
export type Team = Awaited<ReturnType<OrganizationService['newTeam']>>;

export const UUID = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);

/** An id that nothing has. */
export const NOWHERE = '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21';

/** The answer of a list that fits on one page. */
export const onePage = (...data: unknown[]) => ({
  status: 200,
  body: {
    data,
    pagination: {
      page: 1,
      limit: 20,
      total_items: data.length,
      total_pages: data.length === 0 ? 0 : 1,
      has_next: false,
      has_prev: false,
    },
  },
});

/** Makes `times` calls concurrently. */
export const concurrently = <T>(times: number, make: (turn: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, turn) => make(turn)));

/** Runs a step when the service is about to call updateOne on a collection. */
export function beforeNextUpdate<Stored extends Document>(
  collection: Collection<Stored>,
  step: () => Promise<unknown>,
): void {
  const spy = vi.spyOn(collection, 'updateOne').mockImplementationOnce(async (...update) => {
    spy.mockRestore();
    await step();
    return collection.updateOne(...update);
  });
}

const NAME = 'name must be a single line of 1 to 200 characters';
const LINK = 'name must not contain a link or an address';
const INVISIBLE = 'name must not contain invisible characters';
/** Invalid names of organizations and departments, with the `details` of the refusal. */
export const BAD_NAMES: [name: unknown, details: string][] = [
  ['', NAME],
  [' \t ', NAME],
  ['x'.repeat(201), NAME],
  ['🤖'.repeat(201), NAME],
  ['a\u0000b', NAME],
  ['a\u001bb', NAME],
  ['a\u007fb', NAME],
  ['a\u0085b', NAME],
  ['Engines\r\nBcc: eve@example.com', NAME],
  ['a\nb', NAME],
  ['a\u2028b', NAME],
  ['a\ud800b', NAME],
  ['Log in at https://evil.example/x', LINK],
  ['HTTPS:evil', LINK],
  ['evil.example', LINK],
  ['You won at EVIL.EXAMPLE!', LINK],
  ['💩.example', LINK],
  ['пример.рф', LINK],
  ['evil\uff0eexample', LINK], // full width dot
  ['evil\u2024example', LINK], // one dot leader
  ['evil\u3002example', LINK], // ideographic full stop
  ['xn--evl-xma.example', LINK],
  ['203.0.113.7', LINK],
  ['eve@example.com', LINK],
  ['mailto:eve', LINK],
  ['tel:+15550100', LINK],
  ['\\\\evil\\share', LINK],
  ['Sup\u200bport', INVISIBLE],
  ['Sup\u200dport', INVISIBLE],
  ['Sup\u00adport', INVISIBLE],
  ['Sup\u2060port', INVISIBLE],
  ['Sup\u034fport', INVISIBLE],
  ['Sup\ufe0fport', INVISIBLE],
  ['Sup\u{e0041}port', INVISIBLE],
  ['Sup\u3164port', INVISIBLE],
  ['Sup\u2800port', INVISIBLE],
  ['Support\ufeff.', INVISIBLE],
  ['evil\u200b.example', INVISIBLE],
  [null, 'name must be a string'],
  [7, 'name must be a string'],
  [['Engines'], 'name must be a string'],
  [{ $ne: null }, 'name must be a string'],
];

/** Bodies that are not a valid JSON object. */
export const BAD_BODIES: [what: string, body: string][] = [
  ['plain text', 'engines'],
  ['truncated JSON', '{"name":"x"'],
  ['an array', '[{"name":"x","role":"Viewer","email":"a@example.com"}]'],
  ['a number', '7'],
  ['a string', '"name"'],
  ['nested 100,000 levels deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['a __proto__ key', '{"name":"x","role":"Viewer","__proto__":{"role":"Owner"}}'],
  ['a constructor.prototype key', '{"name":"x","constructor":{"prototype":{"role":"Owner"}}}'],
  ['form fields', 'name=x&role=Viewer'],
];

/** Query parameters that every list refuses, with the `details` of the refusal. */
export const BAD_QUERIES: [query: string, details: string][] = [
  ['page=0', 'page must be an integer from 1 to 90071992547409'],
  ['page=-1', 'page must be an integer from 1 to 90071992547409'],
  ['page=1.5', 'page must be an integer from 1 to 90071992547409'],
  ['page=1&page=2', 'page must be an integer from 1 to 90071992547409'],
  ['limit=0', 'limit must be an integer from 1 to 100'],
  ['limit=101', 'limit must be an integer from 1 to 100'],
  ['limit=1e1', 'limit must be an integer from 1 to 100'],
  ['order=up', 'order must be one of asc, desc'],
  ['sort_by[$ne]=name', 'querystring holds an unknown parameter'],
  ['search=a&search=b', 'search must be given once'],
  ['search=a%0ab', 'search must be a single line of 0 to 200 characters'],
  ['organization_id=x', 'querystring holds an unknown parameter'],
  ['user_id=x', 'querystring holds an unknown parameter'],
  ['$where=1', 'querystring holds an unknown parameter'],
  ['__proto__=x', 'querystring holds an unknown parameter'],
];
