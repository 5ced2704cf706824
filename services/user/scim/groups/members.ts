import { randomUUIDv7 } from 'node:crypto';
import { invalidValue } from '@gatehouse/scim/errors';
import { isObject, type Json } from '@gatehouse/scim/schemas';
import { audit } from '@gatehouse/shared/identity/audit';
import { groupRole } from '@gatehouse/sso/profile';
import { addMember } from '../../access/memberships/add-member.ts';
import { reserveSeats } from '../../access/memberships/reserve-seats.ts';
import type { Department } from '../../organizations/records.ts';
import { endGrantedMembership } from '../../provisioning/end-membership.ts';
import { grantedBy } from '../../provisioning/granted-by.ts';
import type { ScimCall } from '../call.ts';
import { usersOf } from '../users/find.ts';
import type { ScimIdentity } from '../users/present.ts';
import { roleOfUser } from '../users/role.ts';

/** A member of a group as a client wrote it. */
export const memberIds = (members: unknown): string[] => [
  ...new Set(
    (Array.isArray(members) ? members : []).map((member: unknown) => {
      const id = isObject(member) ? member.value : undefined;
      if (typeof id !== 'string') throw invalidValue('A member needs a value, the id of a user');
      return id;
    }),
  ),
];

/** @throws {ScimError} invalidValue if one of the ids is no user of this connection. */
export async function requireMembers(
  { options, connection }: ScimCall,
  ids: readonly string[],
): Promise<ScimIdentity[]> {
  if (ids.length === 0) return [];
  const found = await options.db.ssoIdentities
    .find({ ...usersOf(connection), identity_id: { $in: [...ids] } })
    .toArray();
  if (found.length < ids.length) {
    const known = new Set(found.map(({ identity_id }) => identity_id));
    const missing = ids.find((id) => !known.has(id)) ?? '';
    throw invalidValue(`There is no user ${missing.slice(0, 100)}`);
  }
  return found as ScimIdentity[];
}

/** The user_ids of people whose memberships in a department this connection granted. */
export const grantedMembers = ({ options, connection }: ScimCall, { department_id }: Department) =>
  options.db.memberships.distinct('user_id', {
    department_id,
    granted_by: grantedBy(connection.connection_id),
  });

/**
 * Adds people to a department. An Owner of the organization has every department already.
 * @throws {AppError} forbidden if the department has no room for all of them.
 */
export async function addMembers(
  call: ScimCall,
  { organization_id, department_id, name }: Department,
  people: readonly ScimIdentity[],
): Promise<void> {
  if (people.length === 0) return;
  const { options, connection } = call;
  const { db, now } = options;
  const [organization, group, present] = await Promise.all([
    db.organizations.findOne({ organization_id }),
    db.scimGroups.findOne({ connection_id: connection.connection_id, department_id }),
    db.memberships.distinct('user_id', {
      department_id,
      user_id: { $in: people.map(({ user_id }) => user_id) },
    }),
  ]);
  const known = new Set<unknown>([...present, ...(organization?.owners ?? []).map(({ user_id }) => user_id)]);
  const ofGroup = groupRole(connection, [name, group?.external_id ?? name]);
  const at = new Date(now());
  const joining = people.filter(({ user_id }) => !known.has(user_id));
  const user_ids = joining.map(({ user_id }) => user_id);
  await reserveSeats(db, { organization_id, department_id }, user_ids, at.getTime());
  await eachOf(joining, async (identity) => {
    const role = roleOfUser(identity.scim, connection) ?? ofGroup ?? connection.default_role;
    const membership = {
      membership_id: randomUUIDv7(),
      organization_id,
      department_id,
      user_id: identity.user_id,
      role,
      granted_by: grantedBy(connection.connection_id),
      granted_at: at.toISOString(),
      joined_at: at,
    };
    if (await addMember(db, membership, { isAdmitted: true }))
      await auditMember(call, 'member.grant', department_id, identity.user_id, { after: { role } });
  });
}

/** Ends memberships that this connection granted; those that people granted stay. */
export async function removeMembers(
  call: ScimCall,
  { organization_id, department_id }: Department,
  user_ids: readonly string[],
): Promise<void> {
  const { options, request, connection } = call;
  const { connection_id } = connection;
  await eachOf(user_ids, async (user_id) => {
    const member = { connection_id, organization_id, department_id, user_id };
    const ended = await endGrantedMembership(options, request, member);
    if (!ended) return;
    const before = { role: ended.role };
    await auditMember(call, 'member.remove', department_id, user_id, { before });
  });
}

const auditMember = (
  { options, request, connection }: ScimCall,
  action: 'member.grant' | 'member.remove',
  department_id: string,
  user_id: string,
  change: { before?: Record<string, string | null>; after?: Record<string, string | null> },
) =>
  audit(options.db, request, options.now(), {
    action,
    target: { user_id, connection_id: connection.connection_id },
    ...change,
    organization_id: connection.organization_id,
    department_id,
  });

/** Runs a step for each, a few at a time. */
async function eachOf<T>(items: readonly T[], step: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await step(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** Returns the members of departments, by department: the users of this connection. */
export async function membersOf(
  call: ScimCall,
  departments: readonly Department[],
): Promise<ReadonlyMap<string, Json[]>> {
  const { db } = call.options;
  const department_id = { $in: departments.map((each) => each.department_id) };
  const memberships = await db.memberships
    .find({ department_id, user_id: { $gt: '' } }, { projection: { department_id: 1, user_id: 1 } })
    .toArray();
  const user_ids = [...new Set(memberships.map(({ user_id }) => String(user_id)))];
  const identities = await db.ssoIdentities
    .find({ ...usersOf(call.connection), user_id: { $in: user_ids } })
    .toArray();
  const byUser = new Map(identities.map((identity) => [identity.user_id, identity]));
  const members = memberships.flatMap((membership) => {
    const identity = byUser.get(String(membership.user_id));
    return identity ? [{ department_id: membership.department_id, identity }] : [];
  });
  return new Map(
    [...Map.groupBy(members, (member) => member.department_id)].map(([id, list]) => [
      id,
      list.map(({ identity }) => ({
        value: identity.identity_id,
        display: identity.scim?.user_name ?? '',
        type: 'User',
      })),
    ]),
  );
}
