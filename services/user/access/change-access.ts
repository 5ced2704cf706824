import { can, grantableBy, isAbove, type Permission, type Role } from '@gatehouse/shared/access/rbac';
import { tenantOf } from '@gatehouse/shared/access/tenant';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError } from '@gatehouse/shared/http/errors';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { StoredChatbot } from '../chatbots/records.ts';
import type { Database } from '../database.ts';
import { accessListOf, type Grant } from './access-list.ts';
import { refuseArchived } from './archived.ts';
import { callerRoles, refuseUnenrolled } from './caller-roles.ts';
import { roleOn } from './chatbot-roles.ts';
import { revokeGrants, revokeSelfGrants } from './revoke-grants.ts';
import { archivedIn, roleIn, rolesOf } from './roles.ts';
import { ableOwners, accessListWrite } from './succession.ts';

const MAX_ENTRIES = 1_000;
interface Change {
  chatbot_id: string;
  caller: string;
  /** The user whose entry changes. */
  user_id: string;
  /** The permission that the caller needs, unless they leave the list. */
  permission: Permission;
  /** The new role; absent to remove the entry. */
  role?: Role;
  /** ISO 8601. */
  at: string;
}

interface Changed {
  before: { role: Role } | null;
  place: Pick<StoredChatbot, 'organization_id' | 'department_id'>;
}

/**
 * Changes one entry of an access list. Optimistic concurrency: one write wins, the others are decided again, so
 * that the last two Owners cannot both leave.
 * @throws {AppError} notFound, enrollmentRequired, or forbidden, also for an archived chatbot; userNotFound if a new entry is not for an active user or, on a
 * department's chatbot, not for a member.
 * @returns the entry's role before, or null, and the place of the chatbot.
 */
export async function changeAccess(db: Database, request: FastifyRequest, change: Change): Promise<Changed> {
  const { chatbot_id, caller, user_id, role, at } = change;
  return optimistic(async () => {
    const [roles, userRoles, chatbot] = await Promise.all([
      callerRoles(db, request),
      rolesOf(db, user_id),
      db.chatbots.findOne({ chatbot_id }, { projection: { name_suffixes: 0 } }),
    ]);
    const callerRole = chatbot && roleOn(chatbot, caller, roles);
    if (!callerRole) throw new AppError('notFound');
    refuseUnenrolled(roles, chatbot.organization_id);
    const list = accessListOf(chatbot);
    const current = list.find((grant) => grant.user_id === user_id);
    const inherited = roleOn({ ...chatbot, owner_id: '', permissions: [] }, user_id, userRoles);
    assertMayChange(change, callerRole, { before: current?.role ?? inherited, after: role ?? inherited });
    refuseArchived(archivedIn(roles, chatbot.department_id));

    if (!current) {
      if (role === undefined) throw new AppError('notFound');
      if (list.length >= MAX_ENTRIES) {
        throw new AppError('invalidFormat', { text: `an access list holds at most ${MAX_ENTRIES} entries` });
      }
      const isMember = chatbot.department_id === null || inherited !== undefined;
      if (!isMember || !(await findActiveUser(db.users, user_id))) throw new AppError('userNotFound');
    }
    const others = list.filter((grant) => grant !== current);
    const permissions: Grant[] = role
      ? [...others, { user_id, role, granted_by: caller, granted_at: at }]
      : others;
    const able = (await ableOwners(db, [chatbot]))(chatbot);
    const { filter, update } = accessListWrite(chatbot, permissions, { able });
    const { matchedCount } = await db.chatbots.updateOne(filter, update);
    if (matchedCount === 0) return undefined;
    if (!current) await revokeUnlessMember(db, chatbot, user_id);
    if (role && user_id === caller && inherited) await revokeIfLowered(db, chatbot, user_id, inherited);
    return { before: current ? { role: current.role } : null, place: tenantOf(chatbot) };
  });
}

/** @throws {AppError} notFound or forbidden unless the caller's role permits this change of a user's role. */
function assertMayChange(
  { caller, user_id, permission, role }: Change,
  callerRole: Role,
  { before, after }: { before: Role | undefined; after: Role | undefined },
): void {
  if (role === undefined && user_id === caller) {
    // An entry may be lower than the role in the department; its user must not gain rights by leaving the list.
    if (after && isAbove(after, callerRole)) throw new AppError('forbidden');
    return;
  }
  if (!can(callerRole, 'view chatbot')) throw new AppError('notFound');
  const grantable = grantableBy(callerRole);
  const isBeyond = [before, after].some((touched) => touched && !grantable.includes(touched));
  if (!can(callerRole, permission) || isBeyond) throw new AppError('forbidden');
}

/** Revokes a new grant if its user was removed from the department while it was written. */
async function revokeUnlessMember(
  db: Database,
  { organization_id, department_id }: StoredChatbot,
  user_id: string,
): Promise<void> {
  if (organization_id === null || department_id === null) return;
  if (roleIn(await rolesOf(db, user_id), department_id)) return;
  await revokeGrants(db, { organization_id, department_id }, user_id);
  throw new AppError('userNotFound');
}

/** Revokes a self-granted role if its user was lowered in the department while it was written. */
async function revokeIfLowered(
  db: Database,
  { organization_id, department_id }: StoredChatbot,
  user_id: string,
  inherited: Role,
): Promise<void> {
  if (organization_id === null || department_id === null) return;
  const role = roleIn(await rolesOf(db, user_id), department_id);
  if (role && !isAbove(inherited, role)) return;
  await revokeSelfGrants(db, { organization_id, department_id }, user_id);
  throw new AppError('forbidden');
}
