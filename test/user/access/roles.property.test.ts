import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { connect } from '@gatehouse/shared/data/connect';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grant } from '../../../services/user/access/access-list.ts';
import { buildUserService } from '../../../services/user/app.ts';
import { suffixesOf } from '../../../services/user/chatbots/name-search.ts';
import type { Chatbot, StoredChatbot } from '../../../services/user/chatbots/records.ts';
import { COLLECTIONS, type Database } from '../../../services/user/database.ts';
import { createMailer, type Mailer } from '../../../services/user/mail.ts';
import type { Department } from '../../../services/user/organizations/records.ts';
import { type Answered, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { may, SPECIFIED_ROLES } from '../../fixtures/permissions.ts';
import { listen, type Services, startServices, testConfig } from '../../fixtures/services.ts';
import { RECEPTIONIST } from '../chatbots/chatbot-service.ts';
import { ACTIVE, type Call, perform, roleOn, type State, USERS } from './roles-model.ts';

let services: Services;
let second: { app: FastifyInstance; db: Database; mailer: Mailer };
let instances: string[];
let ids: string[];
let bearers: string[];
beforeAll(async () => {
  services = await startServices();
  const config = testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${services.mailbox.port}` });
  const db = await connect(services.uri, COLLECTIONS, { appName: 'user' });
  const mailer = createMailer(config);
  second = { app: await buildUserService({ config, db, mailer, now: services.clock.now }), db, mailer };
  instances = [services.user, await listen(second.app)];

  const users = [];
  for (let user = 0; user <= ACTIVE; user += 1)
    users.push(await newMember(services.db, user < ACTIVE ? {} : { account_status: 'disabled' }));
  ids = [...users.map(({ user_id }) => String(user_id)), 'User-999999'];
  bearers = users.map((user) => bearerOf(user, services.clock.now()));
});
afterAll(async () => {
  await second.app.close();
  second.mailer.close();
  await second.db.close();
  await services.stop();
});

const AT = '2026-01-15T09:30:00.000Z';
const ORGANIZATIONS = ['organization-0', 'organization-1'];
/** Two of the first organization, one of the second. */
const DEPARTMENTS = [0, 0, 1];

/** Where the chatbots of a model are stored, by their number. */
type Stored = string[];

/** Stores a state, in place of what there was. */
async function arrange({ owners, members, chatbots }: State): Promise<Stored> {
  const { db } = services;
  const collections = [db.organizations, db.departments, db.memberships, db.chatbots];
  await Promise.all(collections.map((collection) => collection.deleteMany()));
  await db.organizations.insertMany(
    owners.map((users, number) => ({
      organization_id: String(ORGANIZATIONS[number]),
      name: 'Analytical Engines',
      owners: users.map((user) => ({ user_id: String(ids[user]), granted_by: 'x', granted_at: AT })),
      created_at: AT,
    })),
  );
  await db.departments.insertMany(
    DEPARTMENTS.map(
      (_, number) => ({ ...place(number), name_key: `${number}`, created_at: AT }) as Department,
    ),
  );
  const memberships = members.flatMap((roles, department) =>
    SPECIFIED_ROLES.flatMap((role) =>
      Object.keys(roles)
        .filter((user) => roles[Number(user)] === role)
        .map((user) => ({
          membership_id: randomUUID(),
          ...place(department),
          user_id: String(ids[Number(user)]),
          role,
          granted_by: 'x',
          granted_at: AT,
        })),
    ),
  );
  if (memberships.length > 0) await db.memberships.insertMany(memberships);
  const grantOf = ([user, role]: [number, Grant['role']]): Grant => ({
    user_id: String(ids[user]),
    role,
    granted_by: 'x',
    granted_at: AT,
  });
  const stored = chatbots.map(
    ({ department, owner, others }): StoredChatbot => ({
      chatbot_id: randomUUID(),
      ...RECEPTIONIST,
      status: 'active',
      owner_id: String(ids[owner]),
      ...(department === null ? { organization_id: null, department_id: null } : place(department)),
      created_at: AT,
      updated_at: AT,
      permissions: others.map(grantOf),
      name_suffixes: suffixesOf(RECEPTIONIST.name),
    }),
  );
  await db.chatbots.insertMany(stored);
  return stored.map(({ chatbot_id }) => chatbot_id);
}

const place = (department: number) => ({
  organization_id: String(ORGANIZATIONS[DEPARTMENTS[department] as number]),
  department_id: `department-${department}`,
});

/** What is stored, as a model. */
async function state(stored: Stored): Promise<State> {
  const { db } = services;
  const [organizations, memberships, chatbots] = await Promise.all([
    db.organizations.find().sort({ organization_id: 1 }).toArray(),
    db.memberships.find().toArray(),
    db.chatbots.find().toArray(),
  ]);
  const user = (user_id: string | undefined) => ids.indexOf(String(user_id));
  return {
    owners: organizations.map(({ owners }) => owners.map(({ user_id }) => user(user_id))),
    departments: DEPARTMENTS,
    members: DEPARTMENTS.map((_, number) =>
      Object.fromEntries(
        memberships
          .filter(({ department_id }) => department_id === `department-${number}`)
          .map(({ user_id, role }) => [user(user_id), role]),
      ),
    ),
    chatbots: stored.map((id) => {
      const chatbot = chatbots.find(({ chatbot_id }) => chatbot_id === id);
      if (!chatbot) return { department: null, owner: -1, others: [], gone: true };
      const { department_id, owner_id, permissions = [] } = chatbot;
      const entries = permissions.map(
        (grant) => [user(grant.user_id), grant.role] as [number, Grant['role']],
      );
      const owner = user(owner_id);
      expect(new Set(entries.map(([each]) => each)).size).toBe(entries.length);
      expect(entries.find(([each]) => each === owner)?.[1] ?? 'Owner').toBe('Owner');
      return {
        department: department_id === null ? null : Number(department_id.replace('department-', '')),
        owner,
        others: entries.filter(([each]) => each !== owner),
      };
    }),
  };
}

/** What of a model can be seen. */
const visible = ({ owners, members, chatbots }: State) => ({
  owners: owners.map((users) => users.toSorted()),
  members,
  chatbots: chatbots.map(({ gone, ...chatbot }) => (gone ? 'gone' : chatbot)),
});

/** Makes a call, at one instance or the other. */
function make(turn: number, asked: Call, stored: Stored): Promise<Answered> {
  const [method, path, body] = request(asked, stored);
  const url = `${instances[turn % 2]}/api/v1/${path}`;
  const headers = { authorization: String(bearers[asked.by]) };
  return body ? sendJson(method, url, body, headers) : send(url, { method, headers });
}

function request(asked: Call, stored: Stored): [method: string, path: string, body?: object] {
  const chatbot = 'chatbot' in asked ? `chatbots/${stored[asked.chatbot]}` : '';
  const to = 'to' in asked ? ids[asked.to] : '';
  switch (asked.call) {
    case 'create': {
      const { department } = asked;
      const where = department === null ? {} : { department_id: `department-${department}` };
      return ['POST', 'chatbots/create', { ...RECEPTIONIST, ...where }];
    }
    case 'list':
      return ['GET', 'chatbots?limit=100'];
    case 'view':
      return ['GET', chatbot];
    case 'edit':
      return ['PATCH', chatbot, { name: 'Night porter' }];
    case 'delete':
      return ['DELETE', chatbot];
    case 'duplicate':
      return ['POST', `${chatbot}/duplicate`];
    case 'me':
      return ['GET', `${chatbot}/access/me`];
    case 'grant':
      return ['PUT', `${chatbot}/access/${to}`, { role: asked.role }];
    case 'revoke':
      return ['DELETE', `${chatbot}/access/${to}`];
    case 'addOwner':
    case 'removeOwner': {
      const method = asked.call === 'addOwner' ? 'PUT' : 'DELETE';
      return [method, `organizations/${ORGANIZATIONS[asked.organization]}/owners/${to}`];
    }
    case 'setMember':
    case 'removeMember': {
      const { organization_id, department_id } = place(asked.department);
      const path = `organizations/${organization_id}/departments/${department_id}/members/${to}`;
      return asked.call === 'setMember' ? ['PUT', path, { role: asked.role }] : ['DELETE', path];
    }
  }
}

const role = fc.constantFrom(...SPECIFIED_ROLES);
const by = fc.nat({ max: ACTIVE - 1 });
/** Mostly somebody who can be given something. */
const to = fc.oneof({ weight: 9, arbitrary: by }, { weight: 1, arbitrary: fc.nat({ max: USERS - 1 }) });
const department = fc.nat({ max: DEPARTMENTS.length - 1 });

const start: fc.Arbitrary<State> = fc.record({
  owners: fc.constant([[0], [1]]),
  departments: fc.constant(DEPARTMENTS),
  members: fc.tuple(
    ...DEPARTMENTS.map(() =>
      fc.dictionary(fc.constantFrom('0', '1', '2', '3', '4'), role, { noNullPrototype: true }),
    ),
  ),
  chatbots: fc.tuple(fc.constant(null), fc.constant(0), department).chain((departments) =>
    fc.tuple(
      ...departments.map((each) =>
        fc
          .record({
            department: fc.constant(each),
            owner: by,
            others: fc.uniqueArray(fc.tuple(by, role), { selector: ([user]) => user, maxLength: 3 }),
          })
          .map((chatbot) => ({
            ...chatbot,
            others: chatbot.others.filter(([user]) => user !== chatbot.owner),
          })),
      ),
    ),
  ),
});

/** Calls that decide who has which role. */
const changing = (chatbot: fc.Arbitrary<number>): fc.Arbitrary<Call>[] => [
  fc.record({ call: fc.constant('grant'), by, chatbot, to, role }),
  fc.record({ call: fc.constant('grant'), by, chatbot, to, role: fc.constant('Owner') }),
  fc.record({ call: fc.constant('revoke'), by, chatbot, to }),
  fc.tuple(by, chatbot).map(([user, number]) => ({ call: 'revoke', by: user, chatbot: number, to: user })),
  fc.record({ call: fc.constant('setMember'), by, department, to, role }),
  fc.record({ call: fc.constant('removeMember'), by, department, to }),
  fc.record({ call: fc.constantFrom('addOwner', 'removeOwner'), by, organization: fc.nat({ max: 1 }), to }),
];
const using =
  (...calls: ('view' | 'edit' | 'delete' | 'duplicate' | 'me')[]) =>
  (chatbot: fc.Arbitrary<number>) =>
    fc.record({ call: fc.constantFrom(...calls), by, chatbot });

test('whatever is called one after the other, at either instance, is as the rules say', async () => {
  /** A number that means one of the chatbots that there are by then. */
  const chatbot = fc.nat({ max: 1_000 });
  const calls = fc.array(
    fc.oneof<fc.Arbitrary<Call>[]>(
      ...changing(chatbot),
      using('view', 'edit', 'duplicate', 'me')(chatbot),
      using('view', 'edit', 'delete', 'me')(chatbot),
      fc.record({ call: fc.constant('create'), by, department: fc.option(department, { nil: null }) }),
      fc.record({ call: fc.constant('list'), by }),
    ),
    { minLength: 15, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(start, calls, async (given, sequence) => {
      const model = structuredClone(given);
      const stored = await arrange(model);
      for (const [turn, drawn] of sequence.entries()) {
        const asked = 'chatbot' in drawn ? { ...drawn, chatbot: drawn.chatbot % stored.length } : drawn;
        const expected = perform(model, asked);
        const { status, body } = await make(turn, asked, stored);
        expect(status, `${turn}: ${JSON.stringify(asked)}`).toBe(expected);
        if (status === 201) stored.push(body.chatbot_id);
        if (asked.call === 'me' && status === 200)
          expect(body.role).toBe(roleOn(model, asked.by, model.chatbots[asked.chatbot] as never));
        if (asked.call === 'list') {
          const seen = stored.filter((_, number) =>
            may(roleOn(model, asked.by, model.chatbots[number] as never), 'view chatbot'),
          );
          expect(body.data.map(({ chatbot_id }: Chatbot) => chatbot_id).sort()).toEqual(seen.toSorted());
          expect(body.pagination.total_items).toBe(seen.length);
        }
      }
      expect(visible(await state(stored))).toEqual(visible(model));
    }),
    { numRuns: 16 },
  );
});

/** Everything that calls can lead to, in whatever order and however many of them are made. */
function possible(given: State, calls: Call[]) {
  const roles = new Set<string>();
  const succeeding = new Set<number>();
  const explore = (reached: State, left: number[]) => {
    for (const right of rightsIn(reached)) roles.add(right);
    for (const number of left) {
      const next = structuredClone(reached);
      if (perform(next, calls[number] as Call) >= 300) continue;
      succeeding.add(number);
      explore(
        next,
        left.filter((each) => each !== number),
      );
    }
  };
  explore(given, [...calls.keys()]);
  return { roles, succeeding };
}

/** Who has which role on what, each in a word. */
const rightsIn = (reached: State): string[] =>
  reached.chatbots.flatMap((chatbot, number) => [
    ...Array.from(
      { length: USERS },
      (_, user) => `user ${user}: ${roleOn(reached, user, chatbot)} on ${number}`,
    ),
    `owner of ${number}: ${chatbot.gone ? 'gone' : chatbot.owner}`,
  ]);

test('whatever is called at once, at both instances, gives nobody what he could not have had', async () => {
  const chatbot = fc.nat({ max: 2 });
  const calls = fc.array(
    fc.oneof<fc.Arbitrary<Call>[]>(...changing(chatbot), using('view', 'edit', 'delete', 'me')(chatbot)),
    { minLength: 3, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(start, calls, async (given, batch) => {
      const stored = await arrange(given);
      const answers = await Promise.all(batch.map((asked, turn) => make(turn, asked, stored)));
      const { roles, succeeding } = possible(given, batch);
      for (const [turn, { status, body }] of answers.entries()) {
        expect([200, 403, 404], JSON.stringify(body)).toContain(status);
        if (status === 200) expect(succeeding, JSON.stringify(batch[turn])).toContain(turn);
      }
      const after = await state(stored);
      for (const right of rightsIn(after)) expect(roles).toContain(right);
      for (const { owner, gone } of after.chatbots) if (!gone) expect(owner).toBeGreaterThanOrEqual(0);
      for (const owners of after.owners) expect(owners).not.toEqual([]);
    }),
    { numRuns: 25 },
  );
});

/** Whether calls can have been answered so, and have led there, one after the other in some order. */
function isInSomeOrder(reached: State, left: [Call, status: number][], end: object): boolean {
  if (left.length === 0) return isDeepStrictEqual(visible(reached), end);
  return left.some(([asked, status], index) => {
    const next = structuredClone(reached);
    return perform(next, asked) === status && isInSomeOrder(next, left.toSpliced(index, 1), end);
  });
}

test('changes of access lists at once are as if made one after the other', async () => {
  const number = fc.constant(1);
  const calls = fc.array(fc.oneof(...changing(number).slice(0, 4)), { minLength: 4, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(start, calls, async (given, batch) => {
      const stored = await arrange(given);
      const answers = await Promise.all(batch.map((asked, turn) => make(turn, asked, stored)));
      const answered = batch.map((asked, turn): [Call, number] => [asked, answers[turn]?.status ?? 0]);
      expect(isInSomeOrder(given, answered, visible(await state(stored))), JSON.stringify(answered)).toBe(
        true,
      );
    }),
    { numRuns: 25 },
  );
});
