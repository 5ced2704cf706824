import { may, type SpecifiedRole as Role, SPECIFIED_PERMISSIONS } from '../../fixtures/permissions.ts';

/** A plain model of invitations and offers (CONTRACT.md §Invitations) in one organization with two departments. */

export const USERS = 5;
export const DEPARTMENTS = 2;

type Status = 'pending' | 'declined' | 'expired';
interface Invitation {
  by: number;
  role: Role;
  status: Status;
  /** Whether it grants nothing until it is renewed; no list shows this. */
  lapsed?: true;
}
interface Offer {
  by: number;
  transfer: boolean;
  status: Status;
}

export interface State {
  owners: number[];
  /** The roles in each department, by user. */
  members: Partial<Record<number, Role>>[];
  /** The users who have joined each department by an invitation to their address. */
  byAddress: number[][];
  /** The invitations of each department, by user_id (`id 3`) or address (`email 3`). */
  invitations: Record<string, Invitation>[];
  /** By invited user. */
  offers: Partial<Record<number, Offer>>;
}

/** Names an invitation to a user, in a department or, without one, an offer. */
export interface Slot {
  to: number;
  department: number | null;
  kind: 'id' | 'email';
}

export type Call =
  | { operation: 'setMember' | 'invite'; by: number; department: number; to: number; role: Role }
  | { operation: 'offer'; by: number; to: number; transfer: boolean }
  | ({ operation: 'accept' | 'decline' | 'withdraw' | 'resend'; by: number } & Slot)
  | { operation: 'removeMember'; by: number; department: number; to: number }
  | { operation: 'removeOwner'; by: number; to: number }
  | { operation: 'expire' };

const isAbove = (role: Role | undefined, own: Role) =>
  SPECIFIED_PERMISSIONS.some((permission) => may(role, permission) && !may(own, permission));

const roleIn = ({ owners, members }: State, user: number, department: number): Role | undefined =>
  owners.includes(user) ? 'Owner' : members[department]?.[user];

const hasRole = ({ owners, members }: State, user: number) =>
  owners.includes(user) || members.some((roles) => roles[user] !== undefined);

/** The status for a call that only an Owner may make; 0 for an Owner. */
const unlessOwner = (state: State, by: number) =>
  state.owners.includes(by) ? 0 : hasRole(state, by) ? 403 : 404;

const keyOf = ({ kind, to }: Slot) => `${kind} ${to}`;

/** Applies a call to the state. @returns the status that the service must answer. */
export function perform(state: State, call: Call): number {
  const status = answer(state, call);
  for (const [department, stored] of state.invitations.entries())
    for (const invitation of Object.values(stored))
      if (hasLapsed(state, invitation, department)) invitation.lapsed = true;
  return status;
}

function answer(state: State, call: Call): number {
  switch (call.operation) {
    case 'expire':
      return expire(state);
    case 'setMember':
      return setMember(state, call);
    case 'invite':
      return invite(state, call);
    case 'offer': {
      const { by, to, transfer } = call;
      const refused = unlessOwner(state, by);
      if (refused) return refused;
      if (state.owners.includes(to)) return 200;
      state.offers[to] = { by, transfer, status: 'pending' };
      return 202;
    }
    case 'accept':
      return call.department === null ? acceptOffer(state, call) : accept(state, call, call.department);
    case 'decline': {
      const found =
        call.department === null ? state.offers[call.to] : state.invitations[call.department]?.[keyOf(call)];
      if (call.by !== call.to || found?.status !== 'pending') return 404;
      found.status = 'declined';
      return 200;
    }
    case 'withdraw':
    case 'resend':
      return manage(state, call);
    case 'removeMember': {
      const { by, to, department } = call;
      const own = roleIn(state, by, department);
      const current = state.members[department]?.[to];
      if (!own) return 404;
      if (to !== by && !may(own, 'remove users')) return 403;
      if (!current) return 404;
      if (to !== by && isAbove(current, own)) return 403;
      delete state.members[department]?.[to];
      state.byAddress[department] = state.byAddress[department]?.filter((user) => user !== to) ?? [];
      if (to !== by) endInvitationsTo(state.invitations[department], to);
      return 200;
    }
    case 'removeOwner': {
      const { by, to } = call;
      const refused = unlessOwner(state, by);
      if (refused) return refused;
      if (!state.owners.includes(to)) return 404;
      if (state.owners.length === 1) return 403;
      endOwnership(state, to);
      return 200;
    }
  }
}

function expire({ invitations, offers }: State): number {
  for (const stored of [...invitations, offers as Record<string, Offer>])
    for (const [key, invitation] of Object.entries(stored)) {
      if (invitation.status === 'declined') delete stored[key];
      else invitation.status = 'expired';
    }
  return 200;
}

/** Whoever is removed by somebody else cannot come back by an invitation from before. */
function endInvitationsTo(invitations: Record<string, Invitation> = {}, user: number) {
  delete invitations[`id ${user}`];
  const byAddress = invitations[`email ${user}`];
  if (byAddress) byAddress.lapsed = true;
}

/** Whether an invitation grants nothing: its inviter may not grant the role, or could not at some time. */
export const hasLapsed = (state: State, invitation: Invitation, department: number): boolean =>
  invitation.lapsed === true || !mayGrant(state, invitation, department);

function mayGrant(state: State, { by, role }: Invitation, department: number): boolean {
  const own = roleIn(state, by, department);
  return own !== undefined && may(own, 'assign roles') && !isAbove(role, own);
}

/** Whether an invitation may be replaced by somebody with this role. */
const isReplaceable = (known: Invitation | undefined, own: Role) =>
  known?.status !== 'pending' || !isAbove(known.role, own);

function setMember(
  state: State,
  { by, department, to, role }: Call & { operation: 'setMember' | 'invite' },
): number {
  const own = roleIn(state, by, department);
  const members = state.members[department] as Partial<Record<number, Role>>;
  const invitations = state.invitations[department] as Record<string, Invitation>;
  if (!own) return 404;
  if (!may(own, 'assign roles') || isAbove(role, own) || state.owners.includes(to)) return 403;
  const current = members[to];
  if (current ? isAbove(current, own) : to === by) return 403;
  const key = `id ${to}`;
  if (!current && !isReplaceable(invitations[key], own)) return 403;
  if (!hasRole(state, to)) {
    invitations[key] = { by, role, status: 'pending' };
    return 202;
  }
  if (!current) delete invitations[key];
  members[to] = role;
  return 200;
}

function invite(
  state: State,
  { by, department, to, role }: Call & { operation: 'setMember' | 'invite' },
): number {
  const own = roleIn(state, by, department);
  const invitations = state.invitations[department] as Record<string, Invitation>;
  if (!own) return 404;
  if (!may(own, 'add users') || isAbove(role, own)) return 403;
  if (to === by || state.byAddress[department]?.includes(to)) return 409;
  const key = `email ${to}`;
  if (!isReplaceable(invitations[key], own)) return 403;
  invitations[key] = { by, role, status: 'pending' };
  return 201;
}

function accept(state: State, call: { by: number } & Slot, department: number): number {
  const invitations = state.invitations[department] as Record<string, Invitation>;
  const found = invitations[keyOf(call)];
  const { by, to, kind } = call;
  if (by !== to || found?.status !== 'pending' || hasLapsed(state, found, department)) return 404;
  if (roleIn(state, by, department)) return 409;
  (state.members[department] as Partial<Record<number, Role>>)[by] = found.role;
  if (kind === 'email') state.byAddress[department]?.push(by);
  delete invitations[keyOf(call)];
  const twin = invitations[keyOf({ ...call, kind: kind === 'email' ? 'id' : 'email' })];
  if (twin) twin.lapsed = true;
  return 200;
}

function acceptOffer(state: State, { by, to }: { by: number; to: number }): number {
  const offer = state.offers[to];
  if (by !== to || offer?.status !== 'pending') return 404;
  delete state.offers[to];
  state.owners.push(to);
  if (offer.transfer) endOwnership(state, offer.by);
  return 200;
}

function endOwnership(state: State, user: number) {
  state.owners = state.owners.filter((each) => each !== user);
  for (const [to, { by }] of Object.entries(state.offers as Record<string, Offer>))
    if (by === user) delete state.offers[Number(to)];
}

function manage(
  state: State,
  call: { operation: 'accept' | 'decline' | 'withdraw' | 'resend'; by: number } & Slot,
): number {
  const { operation, by, to, department } = call;
  const stored = (department === null ? state.offers : state.invitations[department]) as Record<
    string,
    Invitation | Offer
  >;
  const key = department === null ? String(to) : keyOf(call);
  const found = stored[key];
  const own = department === null ? undefined : roleIn(state, by, department);
  const refused = department === null ? unlessOwner(state, by) : own ? 0 : 404;
  if (refused) return refused;
  if (own && !may(own, operation === 'withdraw' ? 'remove users' : 'add users')) return 403;
  if (!found) return 404;
  if (operation === 'resend' && found.status === 'declined') return 409;
  if (own && 'role' in found && isAbove(found.role, own)) return 403;
  if (operation === 'withdraw') delete stored[key];
  else {
    if (department !== null && 'role' in found) {
      if (!mayGrant(state, found, department)) found.by = by;
      delete found.lapsed;
    }
    found.status = 'pending';
  }
  return 200;
}
