import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answered, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { SPECIFIED_ROLES } from '../../fixtures/permissions.ts';
import { runs } from '../../fixtures/property.ts';
import { isSerializable, outcomesOf, reachable } from '../access/orders.ts';
import { storeOrganization } from '../access/store-organization.ts';
import { liftInvitationLimits, startTwoInstances, type TwoInstances } from '../instances.ts';
import {
  type Call,
  DEPARTMENTS,
  hasLapsed,
  perform,
  type Slot,
  type State,
  USERS,
} from './invitations-model.ts';

let services: TwoInstances;
let users: Awaited<ReturnType<typeof newMember>>[];
let ids: string[];
beforeAll(async () => {
  services = await startTwoInstances();
  liftInvitationLimits(services.db, services.secondDb);
  users = await Promise.all(Array.from({ length: USERS }, () => newMember(services.db)));
  ids = users.map(({ user_id }) => String(user_id));
});
afterAll(() => services.stop());

const VALIDITY = 14 * 86_400;

/** What the calls of one run are about. */
interface Place {
  organization_id: string;
  departments: string[];
}

/** Replaces what is stored with a new organization, in a state without invitations. */
async function store({ owners, members }: State): Promise<Place> {
  const { db, clock } = services;
  // Left there, the roles of all earlier runs would be read at each call.
  await Promise.all([db.organizations, db.departments, db.memberships].map((each) => each.deleteMany()));
  const { organization, departments } = await storeOrganization(db, {
    owners: owners.map((user) => String(ids[user])),
    departments: Array.from({ length: DEPARTMENTS }, (_, number) => `Department ${number}`),
    now: clock.now(),
  });
  const { organization_id } = organization;
  const memberships = members.flatMap((roles, number) =>
    Object.entries(roles).map(([user, role]) => ({
      membership_id: randomUUID(),
      organization_id,
      department_id: String(departments[number]?.department_id),
      user_id: String(ids[Number(user)]),
      role: role as (typeof SPECIFIED_ROLES)[number],
      granted_by: 'x',
      granted_at: new Date(clock.now()).toISOString(),
      joined_at: new Date(clock.now() - 1),
    })),
  );
  if (memberships.length > 0) await db.memberships.insertMany(memberships);
  return { organization_id, departments: departments.map(({ department_id }) => department_id) };
}

/** Reads what is stored as a state of the model, and the id of each invitation. */
async function readState({ organization_id, departments }: Place) {
  const now = services.clock.now();
  const [organization, memberships] = await Promise.all([
    services.db.organizations.findOne({ organization_id }),
    services.db.memberships.find({ organization_id }).toArray(),
  ]);
  const userOf = (user_id = '') => ids.indexOf(user_id);
  const ofAddress = (email = '') => users.findIndex((user) => user.email.toLowerCase() === email);
  const invitationIds = new Map<string, string>();
  const statusOf = (declined_at: Date | undefined, until: Date | undefined) =>
    declined_at ? 'declined' : (until?.getTime() ?? 0) > now ? 'pending' : 'expired';
  const state: State = { owners: [], members: [], byAddress: [], invitations: [], offers: {} };
  state.owners = organization?.owners.map(({ user_id }) => userOf(user_id)).sort() ?? [];
  for (const offer of organization?.offers ?? []) {
    const { declined_at, expires_at, granted_by, transfer } = offer;
    if (declined_at && expires_at.getTime() <= now) continue;
    const to = userOf(offer.user_id);
    state.offers[to] = { by: userOf(granted_by), transfer, status: statusOf(declined_at, expires_at) };
    invitationIds.set(slotName({ to, department: null, kind: 'id' }), offer.invitation_id);
  }
  for (const [department, department_id] of departments.entries()) {
    const here = memberships.filter((each) => each.department_id === department_id);
    const members = here.filter(({ user_id }) => user_id !== undefined);
    state.members.push(Object.fromEntries(members.map(({ user_id, role }) => [userOf(user_id), role])));
    state.byAddress.push(
      members
        .filter(({ email }) => email)
        .map(({ user_id }) => userOf(user_id))
        .sort(),
    );
    state.invitations.push({});
    for (const { user_id, email, invited_id, granted_by, role, declined_at, valid_until, ...each } of here) {
      if (user_id !== undefined || (each.expires_at?.getTime() ?? 0) <= now) continue;
      const kind = email === undefined ? 'id' : 'email';
      const to = email === undefined ? userOf(invited_id) : ofAddress(email);
      const stored = state.invitations[department] as State['invitations'][number];
      stored[`${kind} ${to}`] = { by: userOf(granted_by), role, status: statusOf(declined_at, valid_until) };
      invitationIds.set(slotName({ to, department, kind }), each.membership_id);
    }
  }
  return { state, invitationIds };
}
const slotName = ({ to, department, kind }: Slot) =>
  department === null ? `offer ${to}` : `${department} ${kind} ${to}`;

/** The part of a state that lists show: users in any order, and not which invitations have lapsed. */
const observable = ({ owners, byAddress, invitations, ...state }: State) => ({
  owners: owners.toSorted(),
  byAddress: byAddress.map((each) => each.toSorted()),
  invitations: invitations.map((stored) =>
    Object.fromEntries(Object.entries(stored).map(([key, { lapsed: _, ...shown }]) => [key, shown])),
  ),
  ...state,
});

/** Makes a call; consecutive turns use different instances. */
async function request(
  turn: number,
  call: Exclude<Call, { operation: 'expire' }>,
  { organization_id, departments }: Place,
  invitationIds: Map<string, string>,
): Promise<Answered> {
  const url = `${services.instances[turn % 2]}/api/v1`;
  const headers = { authorization: bearerOf(users[call.by] as never, services.clock.now()) };
  const organization = `${url}/organizations/${organization_id}`;
  const within = (department: number) => `${organization}/departments/${departments[department]}`;
  const ask = (method: string, path: string, body?: object) =>
    body ? sendJson(method, path, body, headers) : send(path, { method, headers });
  switch (call.operation) {
    case 'setMember':
      return ask('PUT', `${within(call.department)}/members/${ids[call.to]}`, { role: call.role });
    case 'invite': {
      const { email } = users[call.to] as { email: string };
      return ask('POST', `${within(call.department)}/invitations`, { email, role: call.role });
    }
    case 'offer':
      return ask('PUT', `${organization}/owners/${ids[call.to]}`, { transfer: call.transfer });
    case 'removeMember':
      return ask('DELETE', `${within(call.department)}/members/${ids[call.to]}`);
    case 'removeOwner':
      return ask('DELETE', `${organization}/owners/${ids[call.to]}`);
  }
  const id = invitationIds.get(slotName(call)) ?? randomUUID();
  if (call.operation === 'accept' || call.operation === 'decline')
    return ask('POST', `${url}/invitations/${id}/${call.operation}`);
  const kept = call.department === null ? `${organization}/offers` : `${within(call.department)}/invitations`;
  return call.operation === 'withdraw' ? ask('DELETE', `${kept}/${id}`) : ask('POST', `${kept}/${id}/resend`);
}

const role = fc.constantFrom(...SPECIFIED_ROLES);
const user = fc.nat({ max: USERS - 1 });
/** Mostly those who may invite. */
const by = fc.oneof({ weight: 2, arbitrary: fc.nat({ max: 1 }) }, { weight: 1, arbitrary: user });
const department = fc.nat({ max: DEPARTMENTS - 1 });
const slot = fc.record({
  to: user,
  department: fc.option(department, { nil: null }),
  kind: fc.constantFrom('id' as const, 'email' as const),
});
const making: fc.Arbitrary<Call>[] = [
  fc.record({ operation: fc.constantFrom('setMember', 'invite'), by, department, to: user, role }),
  fc.record({ operation: fc.constant('offer'), by, to: user, transfer: fc.boolean() }),
];
const answering: fc.Arbitrary<Call> = fc
  .tuple(slot, fc.constantFrom('accept' as const, 'accept' as const, 'decline' as const))
  .map(([chosen, operation]) => ({ operation, by: chosen.to, ...chosen }));
const managing: fc.Arbitrary<Call> = fc
  .tuple(slot, by, fc.constantFrom('withdraw' as const, 'resend' as const, 'accept' as const))
  .map(([chosen, caller, operation]) => ({ operation, by: caller, ...chosen }));
const removing: fc.Arbitrary<Call>[] = [
  fc.record({ operation: fc.constant('removeMember'), by, department, to: user }),
  fc.record({ operation: fc.constant('removeOwner'), by, to: user }),
];

/** User 0 owns the organization, user 1 has a role in the first department, others may. */
const start: fc.Arbitrary<State> = fc
  .tuple(
    fc.constantFrom('Owner' as const, 'Admin' as const),
    fc.dictionary(fc.constantFrom('2', '3'), role, { noNullPrototype: true }),
  )
  .map(([first, others]) => ({
    owners: [0],
    members: [{ 1: first }, others],
    byAddress: [[], []],
    invitations: [{}, {}],
    offers: {},
  }));

test('sequential calls at two instances answer and store what the model says', async () => {
  const expiring = fc.constant<Call>({ operation: 'expire' });
  const one = fc.oneof(
    ...making.map((arbitrary) => ({ weight: 4, arbitrary })),
    { weight: 6, arbitrary: answering },
    { weight: 3, arbitrary: managing },
    ...removing.map((arbitrary) => ({ weight: 1, arbitrary })),
    { weight: 1, arbitrary: expiring },
  );
  await fc.assert(
    fc.asyncProperty(start, fc.array(one, { minLength: 20, maxLength: 30 }), async (initial, sequence) => {
      const model = structuredClone(initial);
      const place = await store(model);
      let expired = 0;
      for (const [turn, call] of sequence.entries()) {
        services.clock.advance(0.001);
        if (call.operation === 'expire') {
          // Expired invitations are listed for thirty days.
          if (++expired > 2) continue;
          services.clock.advance(VALIDITY);
          perform(model, call);
          continue;
        }
        const { invitationIds } = await readState(place);
        const expected = perform(model, call);
        const { status, body } = await request(turn, call, place, invitationIds);
        expect(status, `${turn}: ${JSON.stringify([call, body])}`).toBe(expected);
      }
      expect(observable((await readState(place)).state)).toEqual(observable(model));
      for (const [number, each] of users.entries()) {
        const headers = { authorization: bearerOf(each, services.clock.now()) };
        const { body } = await send(
          `${services.instances[number % 2]}/api/v1/invitations?limit=100&organization_id=${place.organization_id}`,
          { headers },
        );
        const invitations = model.invitations.flatMap((stored, place) =>
          [stored[`id ${number}`], stored[`email ${number}`]].filter(
            (each) => each && !hasLapsed(model, each, place),
          ),
        );
        const pending = [model.offers[number], ...invitations].filter((each) => each?.status === 'pending');
        expect(body.data).toHaveLength(pending.length);
      }
    }),
    runs(14),
  );
});

/** Stores a state in which every user has been invited, and makes a batch of calls at once. */
async function atOnce(initial: State, invited: Call[], batch: Call[]) {
  const state = structuredClone(initial);
  const place = await store(state);
  for (const [turn, call] of invited.entries()) {
    perform(state, call);
    await request(turn, call as never, place, new Map());
  }
  const { invitationIds } = await readState(place);
  services.clock.advance(1);
  const answers = await Promise.all(
    batch.map((call, turn) => request(turn, call as never, place, invitationIds)),
  );
  return { state, answers, after: (await readState(place)).state };
}

/** Invitations of the last user, and an offer. */
const invited: Call[] = [
  { operation: 'setMember', by: 0, department: 0, to: 4, role: 'Admin' },
  { operation: 'invite', by: 0, department: 0, to: 4, role: 'Viewer' },
  { operation: 'offer', by: 0, to: 4, transfer: true },
  { operation: 'offer', by: 0, to: 3, transfer: true },
];

test('concurrent answers to one invitation, and its withdrawal, are serializable', async () => {
  const chosen = fc.constantFrom<Slot>(
    { to: 4, department: 0, kind: 'id' },
    { to: 4, department: 0, kind: 'email' },
    { to: 4, department: null, kind: 'id' },
  );
  const batches = chosen.chain((one) =>
    fc.array(
      fc.constantFrom<Call>(
        { operation: 'accept', by: 4, ...one },
        { operation: 'decline', by: 4, ...one },
        { operation: 'withdraw', by: 0, ...one },
      ),
      { minLength: 3, maxLength: 5 },
    ),
  );
  await fc.assert(
    fc.asyncProperty(start, batches, async (initial, batch) => {
      const { state, answers, after } = await atOnce(initial, invited, batch);
      const answered = batch.map((call, turn): [Call, number] => [call, answers[turn]?.status ?? 0]);
      // After a transfer its maker has no role, so a withdrawal may see 403 where an order of the calls has 404.
      const seen = answered.filter(([{ operation }, status]) => operation !== 'withdraw' || status === 200);
      const model = { perform, observable };
      expect(isSerializable(state, seen, after, model), JSON.stringify(answered)).toBe(true);
    }),
    runs(25),
  );
});

const rolesIn = ({ owners, members }: State): string[] => [
  ...owners.map((each) => `Owner ${each}`),
  ...members.flatMap((roles, number) => Object.entries(roles).map((entry) => `${number}: ${entry}`)),
];

test('concurrent calls at two instances give no user a role that no order of the calls gives', async () => {
  const batches = fc.array(fc.oneof(...making, answering, managing, ...removing), {
    minLength: 3,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(start, batches, async (initial, batch) => {
      const { state, answers, after } = await atOnce(initial, invited, batch);
      const { rights, succeeding } = reachable(state, batch, {
        outcomes: outcomesOf(perform),
        rightsIn: rolesIn,
      });
      for (const [turn, { status, body }] of answers.entries()) {
        expect([200, 201, 202, 403, 404, 409], JSON.stringify(body)).toContain(status);
        if (status < 300) expect(succeeding, JSON.stringify(batch[turn])).toContain(turn);
      }
      for (const each of rolesIn(after)) expect(rights).toContain(each);
      expect(after.owners).not.toEqual([]);
    }),
    runs(25),
  );
});
