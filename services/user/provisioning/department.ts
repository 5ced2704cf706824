import { randomUUIDv7 } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Account } from '@gatehouse/sso/host';
import type { FastifyRequest } from 'fastify';
import type { Document } from 'mongodb';
import { closedAmong } from '../access/archived.ts';
import { addMember } from '../access/memberships/add-member.ts';
import { writeRole } from '../access/memberships/change-role.ts';
import type { Membership } from '../access/records.ts';
import type { Database } from '../database.ts';
import { nameKeys } from '../organizations/departments/name-keys.ts';
import type { Department } from '../organizations/records.ts';
import { endGrantedMembership } from './end-membership.ts';
import { grantedBy } from './granted-by.ts';
import type { ProvisioningOptions } from './options.ts';
import type { AssignedRole } from './role.ts';

interface Assignment {
  /** The department's name as the provider sends it. */
  department: string | undefined;
  /** Undefined leaves the role as it is. */
  role: AssignedRole | undefined;
  /** Whether SCIM manages the person, who then stays where they are unless the provider names a department. */
  isManaged: boolean;
}

type Match = Pick<Department, 'department_id' | 'name' | 'name_key' | 'archived_at'>;

/** The documents that an assignment depends on. */
export interface Places {
  /** See `departmentStages`. */
  departments: Match[];
  /** Those of the person in the organization. */
  memberships: Membership[];
}

/**
 * Makes a person a member of the department that their provider names, or else of the connection's default, and ends
 * the memberships in other departments that the connection granted. Archived places stay as they are.
 * @param places read before, with the account.
 */
export async function assignDepartment(
  options: Pick<ProvisioningOptions, 'db' | 'now'>,
  request: FastifyRequest,
  connection: Connection,
  user: Account,
  { department, role, isManaged }: Assignment,
  places?: Places,
): Promise<void> {
  const { db } = options;
  const { organization_id, connection_id } = connection;
  const { user_id } = user;
  const { departments, memberships } = places ?? (await placesOf(db, connection, user_id, department));
  const target = departmentOf(request, connection, department, departments);
  if (target?.archived_at !== undefined) return;
  const department_id = target?.department_id;
  const own = memberships.filter(({ granted_by }) => granted_by === grantedBy(connection_id));
  const stays = isManaged && department === undefined;
  const isMember = memberships.some((each) => each.department_id === department_id);
  const joins = department_id !== undefined && !isMember && !(stays && own.length > 0);
  const remains = (membership: Membership) => stays || membership.department_id === department_id;
  const changes = own.filter((each) => !remains(each) || (role !== undefined && role !== each.role));
  if (changes.length === 0 && !joins) return;
  // An Owner of the organization is Owner in every department.
  if (await isOwnedOrArchived(db, organization_id, user_id)) return;
  const isClosed = await closedAmong(db, changes);
  const change = { options, request, connection, user };
  for (const membership of changes.filter((each) => !isClosed(each))) {
    if (!remains(membership)) await remove(change, membership);
    else if (role !== undefined) await setRole(change, membership, role);
  }
  if (joins) await add(change, department_id, role ?? connection.default_role);
}

const isOwnedOrArchived = async (db: Database, organization_id: string, user_id: string): Promise<boolean> =>
  (await db.organizations.findOne(
    { organization_id, $or: [{ 'owners.user_id': user_id }, { archived_at: { $exists: true } }] },
    { projection: { _id: 1 } },
  )) !== null;

/**
 * Returns the stages that find the departments that may be the one with this name, and the connection's default;
 * undefined if there is neither.
 */
export function departmentStages(
  { organization_id, default_department_id }: Connection,
  name: string | undefined,
): Document[] | undefined {
  if (name === undefined && default_department_id === null) return undefined;
  const keys = name === undefined ? [] : nameKeys(name);
  return [
    {
      $match: {
        organization_id,
        $or: [{ name_key: { $in: keys } }, { department_id: String(default_department_id) }],
      },
    },
    { $project: { department_id: 1, name: 1, name_key: 1, archived_at: 1 } },
  ];
}

async function placesOf(
  db: Database,
  connection: Connection,
  user_id: string,
  department: string | undefined,
): Promise<Places> {
  const { organization_id } = connection;
  const named = departmentStages(connection, department);
  const [departments, memberships] = await Promise.all([
    named ? db.departments.aggregate<Match>(named).toArray() : [],
    db.memberships.find({ user_id, organization_id }).toArray(),
  ]);
  return { departments, memberships };
}

/** Returns the department of the organization with this name, or else the connection's default. */
function departmentOf(
  request: FastifyRequest,
  { connection_id, default_department_id }: Connection,
  name: string | undefined,
  departments: Match[],
): Match | undefined {
  const keys = name === undefined ? [] : nameKeys(name);
  // Two departments can look like the name without looking like each other: the closer one wins.
  const named =
    departments.find((each) => each.name === name) ??
    keys.map((key) => departments.find(({ name_key }) => name_key.includes(key))).find(Boolean);
  if (name !== undefined && !named)
    request.log.warn(
      { connection_id, department: name.slice(0, 200), default_department_id },
      'the identity provider sent an unknown department: the default department of the connection applies',
    );
  return named ?? departments.find(({ department_id }) => department_id === default_department_id);
}

interface Change {
  options: Pick<ProvisioningOptions, 'db' | 'now'>;
  request: FastifyRequest;
  connection: Connection;
  user: Account;
}

async function add(change: Change, department_id: string, role: AssignedRole): Promise<void> {
  const { options, request, connection, user } = change;
  const { connection_id, organization_id } = connection;
  const at = new Date(options.now());
  const membership = {
    membership_id: randomUUIDv7(),
    organization_id,
    department_id,
    user_id: user.user_id,
    role,
    granted_by: grantedBy(connection_id),
    granted_at: at.toISOString(),
    joined_at: at,
  };
  const added = await addMember(options.db, membership).catch((error: unknown) => {
    // A full department must not keep a person out of their account.
    if (!(error instanceof AppError && error.reason === 'forbidden')) throw error;
    request.log.warn({ connection_id, department_id }, `no membership at a login: ${error.message}`);
    return null;
  });
  if (added) await auditMember(change, 'member.grant', department_id, null, role);
}

async function setRole(
  change: Change,
  { membership_id, granted_by, department_id, role: former }: Membership,
  role: AssignedRole,
): Promise<void> {
  const { db, now } = change.options;
  const granted = { department_id, membership_id, granted_by };
  const changed = await writeRole(db, granted, { role, granted_by, now: now() });
  if (!changed) return; // a person has changed the membership
  await auditMember(change, 'member.grant', department_id, former, role);
}

async function remove(change: Change, { department_id }: Membership): Promise<void> {
  const { options, request, connection, user } = change;
  const { connection_id, organization_id } = connection;
  const member = { connection_id, organization_id, department_id, user_id: user.user_id };
  const ended = await endGrantedMembership(options, request, member, user);
  if (ended) await auditMember(change, 'member.remove', department_id, ended.role, null);
}

/** The actor is the person; their provider triggered the change. */
const auditMember = (
  { options: { db, now }, request, connection: { connection_id, organization_id }, user }: Change,
  action: 'member.grant' | 'member.remove',
  department_id: string,
  before: string | null,
  after: string | null,
) =>
  audit(db, request, now(), {
    action,
    user_id: user.user_id,
    email: user.email,
    target: { user_id: user.user_id, connection_id },
    before: before === null ? null : { role: before },
    after: after === null ? null : { role: after },
    organization_id,
    department_id,
  });
