import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grant } from '../../../services/user/access/access-list.ts';
import type { StoredChatbot } from '../../../services/user/chatbots/records.ts';
import type { Department } from '../../../services/user/organizations/records.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { type Answered, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { SPECIFIED_ROLES } from '../../fixtures/permissions.ts';
import { runs } from '../../fixtures/property.ts';
import { outcomesOf, reachable } from '../access/orders.ts';
import { RECEPTIONIST } from '../chatbots/chatbot-service.ts';
import { startTwoInstances, type TwoInstances } from '../instances.ts';
import { type Call, deleteArchived, perform, roleOn, type State } from './closing-model.ts';
import { LEASE, runJobs } from './run-jobs.ts';

const USERS = 4;
/** The organization of each department. */
const DEPARTMENTS = [0, 0, 1];
const DAYS_30 = 30 * 86_400;

let services: TwoInstances;
let users: Awaited<ReturnType<typeof newMember>>[];
let ids: string[];
beforeAll(async () => {
  services = await startTwoInstances();
  users = await Promise.all(Array.from({ length: USERS }, () => newMember(services.db)));
  ids = users.map(({ user_id }) => String(user_id));
});
afterAll(() => services.stop());

const departmentId = (department: number) => `department-${department}`;
const place = (department: number) => ({
  organization_id: `organization-${DEPARTMENTS[department]}`,
  department_id: departmentId(department),
});
const userId = (user: number) => String(ids[user]);

/** Replaces what is stored with a state of the model. @returns the ids of its chatbots. */
async function store({ organizations, departments, chatbots }: State): Promise<string[]> {
  const { db } = services;
  const at = new Date(services.clock.now()).toISOString();
  const collections = [db.organizations, db.departments, db.memberships, db.chatbots, db.departures];
  await Promise.all(collections.map((collection) => collection.deleteMany()));
  const granted = { granted_by: 'x', granted_at: at };
  await db.organizations.insertMany(
    organizations.map(({ owners }, number) => ({
      organization_id: `organization-${number}`,
      name: 'Analytical Engines',
      owners: owners.map((user) => ({ user_id: userId(user), ...granted })),
      created_at: at,
    })),
  );
  const billing = { subscription_plan: 'Free', payment_status: 'pending' };
  await db.departments.insertMany(
    departments.map(
      (_, number) =>
        ({
          ...place(number),
          name: `${number}`,
          name_key: [`${number}`],
          created_at: at,
          billing,
        }) as Department,
    ),
  );
  const memberships = departments.flatMap(({ members }, department) =>
    Object.entries(members).map(([user, role = 'Viewer']) => ({
      membership_id: randomUUID(),
      ...place(department),
      user_id: userId(Number(user)),
      role,
      ...granted,
    })),
  );
  if (memberships.length > 0) await db.memberships.insertMany(memberships);
  const stored = chatbots.flatMap((chatbot): StoredChatbot[] => {
    if (chatbot === null) return [];
    const { department, owner, others } = chatbot;
    return [
      {
        chatbot_id: randomUUID(),
        ...RECEPTIONIST,
        status: 'active',
        owner_id: userId(owner),
        ...(department === null ? { organization_id: null, department_id: null } : place(department)),
        permissions: others.map(([user, role]): Grant => ({ user_id: userId(user), role, ...granted })),
        created_at: at,
        updated_at: at,
      },
    ];
  });
  await db.chatbots.insertMany(stored);
  return stored.map(({ chatbot_id }) => chatbot_id);
}

/** Reads what is stored as a state of the model. */
async function readState(stored: string[]): Promise<State> {
  const { db } = services;
  const [organizations, departments, memberships, chatbots] = await Promise.all([
    db.organizations.find().toArray(),
    db.departments.find().toArray(),
    db.memberships.find().toArray(),
    db.chatbots.find().toArray(),
  ]);
  const user = (user_id = '') => ids.indexOf(user_id);
  return {
    organizations: [0, 1].map((number) => {
      const found = organizations.find(({ organization_id }) => organization_id === `organization-${number}`);
      if (!found) return { owners: [], archived: true, deleted: true };
      return {
        owners: found.owners.map(({ user_id }) => user(user_id)),
        archived: found.archived_at !== undefined,
      };
    }),
    departments: DEPARTMENTS.map((organization, number) => {
      const found = departments.find(({ department_id }) => department_id === departmentId(number));
      const members = memberships.filter(({ department_id }) => department_id === departmentId(number));
      return {
        organization,
        members: Object.fromEntries(members.map(({ user_id, role }) => [user(user_id), role])),
        archived: !found || found.archived_at !== undefined,
        ...(!found && { deleted: true }),
      };
    }),
    chatbots: stored.map((id) => {
      const found = chatbots.find(({ chatbot_id }) => chatbot_id === id);
      if (!found) return null;
      const { department_id, owner_id, permissions = [] } = found;
      return {
        department: department_id === null ? null : Number(department_id.replace('department-', '')),
        owner: user(owner_id),
        others: permissions
          .filter(({ user_id }) => user_id !== owner_id)
          .map(({ user_id, role }) => [user(user_id), role] as [number, Grant['role']]),
      };
    }),
  };
}

/** Waits until no job that an archiving has woken is under way. */
const settled = () =>
  eventually(async () => {
    const due = { due_at: { $lte: new Date(services.clock.now()) } };
    const working = { $or: [{ lease: { $exists: true } }, due] };
    expect(await services.db.departments.countDocuments(working)).toBe(0);
    expect(await services.db.organizations.countDocuments(working)).toBe(0);
  });

/** Runs what is due twice at once, and waits for what a service has begun by itself. */
async function runDue() {
  await Promise.all([runJobs(services), runJobs({ ...services, db: services.secondDb })]);
  await settled();
}

function request(turn: number, call: Call, stored: string[]): Promise<Answered> {
  const [method, path, body] = requestOf(call, stored);
  const url = `${services.instances[turn % 2]}/api/v1/${path}`;
  const headers = { authorization: bearerOf(users[call.by] as never, services.clock.now()) };
  return body ? sendJson(method, url, body, headers) : send(url, { method, headers });
}

function requestOf(call: Call, stored: string[]): [method: string, path: string, body?: object] {
  switch (call.operation) {
    case 'leave':
      return ['DELETE', `organizations/organization-${call.organization}/members/${userId(call.to)}`];
    case 'archiveOrganization':
      return ['POST', `organizations/organization-${call.organization}/archive`];
    case 'restoreOrganization':
      return ['POST', `organizations/organization-${call.organization}/restore`];
    case 'archiveDepartment':
    case 'restoreDepartment': {
      const { organization_id, department_id } = place(call.department);
      const path = `organizations/${organization_id}/departments/${department_id}`;
      if (call.operation === 'restoreDepartment') return ['POST', `${path}/restore`];
      const { moveTo } = call;
      const body =
        moveTo === null ? { chatbots: 'delete' } : { chatbots: 'move', move_to: departmentId(moveTo) };
      return ['POST', `${path}/archive`, body];
    }
    case 'move': {
      const department_id = call.department === null ? null : departmentId(call.department);
      return ['POST', `chatbots/${stored[call.chatbot]}/move`, { department_id }];
    }
    case 'edit':
      return ['PATCH', `chatbots/${stored[call.chatbot]}`, { name: 'Night porter' }];
    case 'create': {
      const where = call.department === null ? {} : { department_id: departmentId(call.department) };
      return ['POST', 'chatbots/create', { ...RECEPTIONIST, ...where }];
    }
  }
}

const by = fc.nat({ max: USERS - 1 });
const role = fc.constantFrom(...SPECIFIED_ROLES);
const department = fc.nat({ max: DEPARTMENTS.length - 1 });
const organization = fc.nat({ max: 1 });
const anywhere = fc.option(department, { nil: null, freq: 4 });

/** Owners 0 (and sometimes 1) of the first organization, 1 of the second; chatbots of members, in each place. */
const start: fc.Arbitrary<State> = fc
  .record({
    owners: fc.constantFrom<number[]>([0], [0, 1]),
    members: fc.tuple(
      ...DEPARTMENTS.map(() =>
        fc.dictionary(fc.constantFrom('0', '1', '2', '3'), role, { noNullPrototype: true }),
      ),
    ),
    chatbots: fc.tuple(fc.constant(null), fc.constant(0), fc.constant(1), department).chain((departments) =>
      fc.tuple(
        ...departments.map((each) =>
          fc.record({
            department: fc.constant(each),
            owner: by,
            others: fc.uniqueArray(fc.tuple(by, role), { selector: ([user]) => user, maxLength: 2 }),
          }),
        ),
      ),
    ),
  })
  .map(({ owners, members, chatbots }) => {
    const state: State = {
      organizations: [
        { owners, archived: false },
        { owners: [1], archived: false },
      ],
      departments: members.map((each, number) => ({
        organization: DEPARTMENTS[number] as number,
        members: each,
        archived: false,
      })),
      chatbots: [],
    };
    // Only members are on the access list of a department's chatbot.
    state.chatbots = chatbots.map(({ department: number, owner, others }) => {
      const listed = (user: number) =>
        number === null ||
        state.organizations[DEPARTMENTS[number] as number]?.owners.includes(user) ||
        state.departments[number]?.members[user] !== undefined;
      const [first = 0] =
        number === null ? [] : (state.organizations[DEPARTMENTS[number] as number]?.owners ?? []);
      const heir = listed(owner) ? owner : first;
      return {
        department: number,
        owner: heir,
        others: others.filter(([user]) => listed(user) && user !== heir),
      };
    });
    return state;
  });

const callsOn = (chatbot: fc.Arbitrary<number>) => ({
  leaving: [
    fc.record({ operation: fc.constant('leave'), by, organization, to: by }),
    fc
      .tuple(by, organization)
      .map(([user, number]) => ({ operation: 'leave', by: user, organization: number, to: user })),
  ] as fc.Arbitrary<Call>[],
  closing: [
    fc.record({ operation: fc.constantFrom('archiveOrganization', 'restoreOrganization'), by, organization }),
    fc.record({ operation: fc.constant('archiveDepartment'), by, department, moveTo: anywhere }),
    fc.record({
      operation: fc.constant('archiveDepartment'),
      by: fc.constant(0),
      department,
      moveTo: anywhere,
    }),
    fc.record({ operation: fc.constant('restoreDepartment'), by, department }),
    fc.record({ operation: fc.constant('move'), by, chatbot, department: anywhere }),
    fc.record({ operation: fc.constant('edit'), by, chatbot }),
  ] as fc.Arbitrary<Call>[],
  creating: [
    fc.record({ operation: fc.constant('create'), by, department: anywhere }),
  ] as fc.Arbitrary<Call>[],
});

test('sequential calls at two instances answer and store what the model says; then what is archived is deleted', async () => {
  const { leaving, closing, creating } = callsOn(fc.nat({ max: 1_000 }));
  const calls = fc.array(fc.oneof(...leaving, ...closing, ...creating), { minLength: 10, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(start, calls, async (initial, sequence) => {
      const model = structuredClone(initial);
      const stored = await store(model);
      for (const [turn, drawn] of sequence.entries()) {
        const call = 'chatbot' in drawn ? { ...drawn, chatbot: drawn.chatbot % stored.length } : drawn;
        const expected = perform(model, call);
        services.clock.advance(0.001);
        const { status, body } = await request(turn, call, stored);
        expect(status, `${turn}: ${JSON.stringify(call)} ${JSON.stringify(body)}`).toBe(expected);
        if (status === 201) stored.push(body.chatbot_id);
        await settled();
      }
      expect(await readState(stored)).toEqual(model);
      services.clock.advance(DAYS_30);
      await runDue();
      deleteArchived(model);
      expect(surviving(await readState(stored))).toEqual(surviving(model));
    }),
    runs(16),
  );
});

/** A state without what is deleted. */
const surviving = ({ organizations, departments, chatbots }: State) => ({
  organizations: organizations.map((each) => (each.deleted ? null : each.owners)),
  departments: departments.map((each) => (each.deleted ? null : each.members)),
  chatbots,
});

const rightsIn = (state: State): string[] =>
  state.chatbots.flatMap((chatbot, number) =>
    chatbot === null
      ? []
      : Array.from(
          { length: USERS },
          (_, user) => `user ${user}: ${roleOn(state, user, chatbot)} on ${number}`,
        ),
  );

const subsets = (count: number): number[][] =>
  Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (__, bit) => bit).filter((bit) => bits & (2 ** bit)),
  );

/** The states after a call: a chatbot that comes while the others move stays until the deletion. */
function outcomes(state: State, call: Call): State[] {
  const moves = call.operation === 'archiveDepartment' && call.moveTo !== null;
  return (moves ? subsets(state.chatbots.length) : [[]]).flatMap((staying) =>
    outcomesOf<State, Call>((next, made) => perform(next, made, { staying }))(state, call),
  );
}

test('concurrent archiving, restoring and moving give no user a role that no order of the calls gives', async () => {
  const calls = fc.array(fc.oneof(...callsOn(fc.nat({ max: 3 })).closing), { minLength: 3, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(start, calls, async (initial, batch) => {
      const stored = await store(initial);
      const answers = await Promise.all(batch.map((call, turn) => request(turn, call, stored)));
      const { rights, succeeding } = reachable(initial, batch, { outcomes, rightsIn });
      for (const [turn, { status, body }] of answers.entries()) {
        expect([200, 400, 403, 404], JSON.stringify(body)).toContain(status);
        if (status === 200) expect(succeeding, JSON.stringify(batch[turn])).toContain(turn);
      }
      await settled();
      for (const right of rightsIn(await readState(stored))) expect(rights).toContain(right);
    }),
    runs(25),
  );
});

test('concurrent calls leave an open organization with an Owner, and a person who has left with no role', async () => {
  const { leaving, closing, creating } = callsOn(fc.nat({ max: 3 }));
  const calls = fc.array(fc.oneof(...leaving, ...closing, ...creating), { minLength: 4, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(start, calls, async (initial, batch) => {
      const stored = await store(initial);
      services.clock.advance(1);
      const answers = await Promise.all(batch.map((call, turn) => request(turn, call, stored)));
      for (const { status, body } of answers)
        expect([200, 201, 400, 403, 404], JSON.stringify(body)).toContain(status);
      stored.push(...answers.filter(({ status }) => status === 201).map(({ body }) => body.chatbot_id));
      await settled();
      const after = await readState(stored);
      for (const { owners, archived } of after.organizations) if (!archived) expect(owners).not.toEqual([]);
      for (const [turn, call] of batch.entries()) {
        if (call.operation !== 'leave' || answers[turn]?.status !== 200) continue;
        const left = after.organizations[call.organization];
        expect(left?.owners).not.toContain(call.to);
        // Others than the Owners end the roles in the departments that they administer.
        const isOwner = [initial, after].every((state) =>
          state.organizations[call.organization]?.owners.includes(call.by),
        );
        if (call.by !== call.to && !isOwner) continue;
        for (const { organization: number, members } of after.departments)
          if (number === call.organization) expect(members).not.toHaveProperty(String(call.to));
        // Except where nobody is left to take the chatbots over.
        for (const chatbot of after.chatbots)
          if (chatbot && chatbot.department !== null && left && left.owners.length > 0)
            if (DEPARTMENTS[chatbot.department] === call.organization)
              expect(chatbot.owner).not.toBe(call.to);
      }
      // Whatever is due is deleted, and nothing else.
      services.clock.advance(DAYS_30 + LEASE / 1000);
      await runDue();
      const end = await readState(stored);
      for (const [number, { archived }] of after.organizations.entries())
        expect(end.organizations[number]?.deleted ?? false).toBe(archived);
      for (const [number, chatbot] of after.chatbots.entries())
        if (chatbot?.department === null) expect(end.chatbots[number]).toEqual(chatbot);
      for (const chatbot of end.chatbots)
        if (chatbot && chatbot.department !== null)
          expect(end.departments[chatbot.department]?.deleted).toBeUndefined();
      expect(await services.db.departures.countDocuments()).toBe(0);
    }),
    runs(25),
  );
});
