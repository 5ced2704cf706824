import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grant } from '../../../services/user/access/access-list.ts';
import { suffixesOf } from '../../../services/user/chatbots/name-search.ts';
import type { Chatbot, StoredChatbot } from '../../../services/user/chatbots/records.ts';
import type { Department } from '../../../services/user/organizations/records.ts';
import { type Answered, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { may, SPECIFIED_ROLES } from '../../fixtures/permissions.ts';
import { runs } from '../../fixtures/property.ts';
import { RECEPTIONIST } from '../chatbots/chatbot-service.ts';
import { liftInvitationLimits, startTwoInstances, type TwoInstances } from '../instances.ts';
import { isSerializable, outcomesOf, reachable } from './orders.ts';
import { ACTIVE, type Call, perform, roleOn, type State, USERS } from './roles-model.ts';

let services: TwoInstances;
let ids: string[];
let bearers: string[];
beforeAll(async () => {
  services = await startTwoInstances();
  liftInvitationLimits(services.db, services.secondDb);

  const users = [];
  for (let user = 0; user <= ACTIVE; user += 1)
    users.push(await newMember(services.db, user < ACTIVE ? {} : { account_status: 'disabled' }));
  ids = [...users.map(({ user_id }) => String(user_id)), 'User-999999'];
  bearers = users.map((user) => bearerOf(user, services.clock.now()));
});
afterAll(() => services.stop());

const AT = '2026-01-15T09:30:00.000Z';
const ORGANIZATIONS = ['organization-0', 'organization-1'];
/** The organization of each department. */
const DEPARTMENTS = [0, 0, 1];

/** The chatbot_id of each chatbot of the model. */
type ChatbotIds = string[];

/** Replaces what is stored with a state of the model. */
async function store({ owners, members, chatbots }: State): Promise<ChatbotIds> {
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
      (_, number) =>
        ({
          ...place(number),
          name_key: [`${number}`],
          created_at: AT,
          billing: { subscription_plan: 'Free', payment_status: 'pending' },
        }) as Department,
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

/** Reads what is stored as a state of the model. */
async function readState(stored: ChatbotIds): Promise<State> {
  const { db } = services;
  const [organizations, memberships, chatbots] = await Promise.all([
    db.organizations.find().sort({ organization_id: 1 }).toArray(),
    db.memberships.find({ user_id: { $exists: true } }).toArray(),
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
      if (!chatbot) return { department: null, owner: -1, others: [], selfGranted: [], deleted: true };
      const { department_id, owner_id, created_at, permissions = [] } = chatbot;
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
        selfGranted: permissions
          .filter((grant) => grant.granted_by === grant.user_id && grant.granted_at !== created_at)
          .map(({ user_id }) => user(user_id))
          .sort(),
      };
    }),
  };
}

/** The part of a state that the contract defines: owners in any order, deleted chatbots without their fields. */
const observable = ({ owners, members, chatbots }: State) => ({
  owners: owners.map((users) => users.toSorted()),
  members,
  chatbots: chatbots.map(({ deleted, selfGranted, ...chatbot }) =>
    deleted ? 'deleted' : { ...chatbot, selfGranted: selfGranted.toSorted() },
  ),
});

/** Makes a call; consecutive turns use different instances. An active user who is invited accepts. */
async function request(turn: number, call: Call, stored: ChatbotIds): Promise<Answered> {
  const [method, path, body] = requestOf(call, stored);
  const ask = (by: number, ...[verb, to, sent]: ReturnType<typeof requestOf>) => {
    const url = `${services.instances[turn % 2]}/api/v1/${to}`;
    const headers = { authorization: String(bearers[by]) };
    return sent ? sendJson(verb, url, sent, headers) : send(url, { method: verb, headers });
  };
  const answer = await ask(call.by, method, path, body);
  if (answer.status !== 202 || !('to' in call)) return answer;
  const { invitation_id } = answer.body;
  if (call.to < ACTIVE) return ask(call.to, 'POST', `invitations/${invitation_id}/accept`);
  await services.db.memberships.deleteOne({ membership_id: invitation_id });
  await services.db.organizations.updateMany({}, { $pull: { offers: { invitation_id } } });
  return answer;
}

function requestOf(call: Call, stored: ChatbotIds): [method: string, path: string, body?: object] {
  const chatbot = 'chatbot' in call ? `chatbots/${stored[call.chatbot]}` : '';
  const to = 'to' in call ? ids[call.to] : '';
  switch (call.operation) {
    case 'create': {
      const { department } = call;
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
      return ['PUT', `${chatbot}/access/${to}`, { role: call.role }];
    case 'revoke':
      return ['DELETE', `${chatbot}/access/${to}`];
    case 'addOwner':
    case 'removeOwner': {
      const method = call.operation === 'addOwner' ? 'PUT' : 'DELETE';
      return [method, `organizations/${ORGANIZATIONS[call.organization]}/owners/${to}`];
    }
    case 'setMember':
    case 'removeMember': {
      const { organization_id, department_id } = place(call.department);
      const path = `organizations/${organization_id}/departments/${department_id}/members/${to}`;
      return call.operation === 'setMember' ? ['PUT', path, { role: call.role }] : ['DELETE', path];
    }
  }
}

const role = fc.constantFrom(...SPECIFIED_ROLES);
const by = fc.nat({ max: ACTIVE - 1 });
/** Mostly active users. */
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
            selfGranted: fc.constant<number[]>([]),
          })
          .map((chatbot) => ({
            ...chatbot,
            others: chatbot.others.filter(([user]) => user !== chatbot.owner),
          })),
      ),
    ),
  ),
});

/** Calls that change roles. */
const changing = (chatbot: fc.Arbitrary<number>): fc.Arbitrary<Call>[] => [
  fc.record({ operation: fc.constant('grant'), by, chatbot, to, role }),
  fc.record({ operation: fc.constant('grant'), by, chatbot, to, role: fc.constant('Owner') }),
  fc.record({ operation: fc.constant('revoke'), by, chatbot, to }),
  fc
    .tuple(by, chatbot)
    .map(([user, number]) => ({ operation: 'revoke', by: user, chatbot: number, to: user })),
  fc.record({ operation: fc.constant('setMember'), by, department, to, role }),
  fc.record({ operation: fc.constant('removeMember'), by, department, to }),
  fc.record({
    operation: fc.constantFrom('addOwner', 'removeOwner'),
    by,
    organization: fc.nat({ max: 1 }),
    to,
  }),
];
const using =
  (...calls: ('view' | 'edit' | 'delete' | 'duplicate' | 'me')[]) =>
  (chatbot: fc.Arbitrary<number>) =>
    fc.record({ operation: fc.constantFrom(...calls), by, chatbot });

test('sequential calls at two instances answer and store what the model says', async () => {
  /** Taken modulo the number of chatbots at the time of the call. */
  const chatbot = fc.nat({ max: 1_000 });
  const calls = fc.array(
    fc.oneof<fc.Arbitrary<Call>[]>(
      ...changing(chatbot),
      using('view', 'edit', 'duplicate', 'me')(chatbot),
      using('view', 'edit', 'delete', 'me')(chatbot),
      fc.record({ operation: fc.constant('create'), by, department: fc.option(department, { nil: null }) }),
      fc.record({ operation: fc.constant('list'), by }),
    ),
    { minLength: 15, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(start, calls, async (initial, sequence) => {
      const model = structuredClone(initial);
      const stored = await store(model);
      for (const [turn, drawn] of sequence.entries()) {
        const call = 'chatbot' in drawn ? { ...drawn, chatbot: drawn.chatbot % stored.length } : drawn;
        const expected = perform(model, call);
        services.clock.advance(0.001); // a grant is later than the creation
        const { status, body } = await request(turn, call, stored);
        expect(status, `${turn}: ${JSON.stringify(call)}`).toBe(expected);
        if (status === 201) stored.push(body.chatbot_id);
        if (call.operation === 'me' && status === 200)
          expect(body.role).toBe(roleOn(model, call.by, model.chatbots[call.chatbot] as never));
        if (call.operation === 'list') {
          const visible = stored.filter((_, number) =>
            may(roleOn(model, call.by, model.chatbots[number] as never), 'view chatbot'),
          );
          expect(body.data.map(({ chatbot_id }: Chatbot) => chatbot_id).sort()).toEqual(visible.toSorted());
          expect(body.pagination.total_items).toBe(visible.length);
        }
      }
      expect(observable(await readState(stored))).toEqual(observable(model));
    }),
    runs(16),
  );
});

/** Each user's role on each chatbot, and each owner, as strings. */
const rightsIn = (reached: State): string[] =>
  reached.chatbots.flatMap((chatbot, number) => [
    ...Array.from(
      { length: USERS },
      (_, user) => `user ${user}: ${roleOn(reached, user, chatbot)} on ${number}`,
    ),
    `owner of ${number}: ${chatbot.deleted ? 'deleted' : chatbot.owner}`,
  ]);

test('concurrent calls at two instances give no user a role that no order of the calls gives', async () => {
  const chatbot = fc.nat({ max: 2 });
  const calls = fc.array(
    fc.oneof<fc.Arbitrary<Call>[]>(...changing(chatbot), using('view', 'edit', 'delete', 'me')(chatbot)),
    { minLength: 3, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(start, calls, async (initial, batch) => {
      const stored = await store(initial);
      const answers = await Promise.all(batch.map((call, turn) => request(turn, call, stored)));
      const { rights, succeeding } = reachable(initial, batch, { outcomes: outcomesOf(perform), rightsIn });
      for (const [turn, { status, body }] of answers.entries()) {
        // 409 for somebody who has become a member or an Owner before they accept.
        expect([200, 202, 403, 404, 409], JSON.stringify(body)).toContain(status);
        if (status === 200) expect(succeeding, JSON.stringify(batch[turn])).toContain(turn);
      }
      const after = await readState(stored);
      for (const right of rightsIn(after)) expect(rights).toContain(right);
      for (const { owner, deleted } of after.chatbots) if (!deleted) expect(owner).toBeGreaterThanOrEqual(0);
      for (const owners of after.owners) expect(owners).not.toEqual([]);
    }),
    runs(25),
  );
});

test('concurrent changes of one access list are serializable', async () => {
  const number = fc.constant(1);
  const calls = fc.array(fc.oneof(...changing(number).slice(0, 4)), { minLength: 4, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(start, calls, async (initial, batch) => {
      const stored = await store(initial);
      const answers = await Promise.all(batch.map((call, turn) => request(turn, call, stored)));
      const answered = batch.map((call, turn): [Call, number] => [call, answers[turn]?.status ?? 0]);
      expect(
        isSerializable(initial, answered, await readState(stored), { perform, observable }),
        JSON.stringify(answered),
      ).toBe(true);
    }),
    runs(25),
  );
});
