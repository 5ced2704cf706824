import { can, grantableBy, type Permission, permissionsOf, type Role } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import { accessListOf } from '../chatbots/access-list/contract.ts';
import type { StoredChatbot } from '../chatbots/records.ts';
import type { Database } from '../database.ts';
import { roleOn } from './chatbot-roles.ts';
import type { Grant } from './grant.ts';
import { forgetGrants } from './revoke-grants.ts';
import { roleIn, rolesOf } from './roles.ts';

/** More people than this share a department, not a chatbot. */
const MAX_ENTRIES = 1_000;
/** Of changes at once one succeeds and the others decide anew: so many rounds are never needed. */
const ROUNDS = 200;

interface Change {
  chatbot_id: string;
  caller: string;
  /** Whose entry changes. */
  user_id: string;
  permission: Permission;
  /** The new role; none takes the entry away. */
  role?: Role;
  at: string;
}

/**
 * Changes one entry of an access list. It is decided on the list as read and written only if nobody has changed
 * the list since; otherwise it is decided anew, so that of two last Owners who leave at once one stays.
 * @throws {AppError} notFound or forbidden; userNotFound unless who is given a role for the first time is an
 * active user and, of a department's chatbot, one of its people.
 */
export async function changeAccess(db: Database, change: Change): Promise<void> {
  const { chatbot_id, caller, user_id, role, at } = change;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [roles, theirs, chatbot] = await Promise.all([
      rolesOf(db, caller),
      rolesOf(db, user_id),
      db.chatbots.findOne({ chatbot_id }, { projection: { name_suffixes: 0 } }),
    ]);
    const own = chatbot && roleOn(chatbot, caller, roles);
    if (!own) throw new AppError('notFound');
    const list = accessListOf(chatbot);
    const current = list.find((grant) => grant.user_id === user_id);
    const inherited = roleOn({ ...chatbot, owner_id: '', permissions: [] }, user_id, theirs);
    judge(change, own, { before: current?.role ?? inherited, after: role ?? inherited });

    if (!current) {
      if (role === undefined) throw new AppError('notFound');
      if (list.length >= MAX_ENTRIES) {
        throw new AppError('invalidFormat', { text: `an access list holds at most ${MAX_ENTRIES} entries` });
      }
      const isOfThem = chatbot.department_id === null || inherited !== undefined;
      if (!isOfThem || !(await findActiveUser(db.users, user_id))) throw new AppError('userNotFound');
    }
    const rest = list.filter((grant) => grant !== current);
    const permissions: Grant[] = role
      ? [...rest, { user_id, role, granted_by: caller, granted_at: at }]
      : rest;
    const { matchedCount } = await db.chatbots.updateOne(
      {
        chatbot_id,
        owner_id: chatbot.owner_id,
        access_version: chatbot.access_version ?? { $exists: false },
      },
      {
        $set: { permissions, owner_id: ownerAmong(permissions, chatbot.owner_id) },
        $inc: { access_version: 1 },
      },
    );
    if (matchedCount === 1) return current ? undefined : takeBackUnlessIn(db, chatbot, user_id);
  }
  throw new AppError('unavailable');
}

/** @throws {AppError} notFound or forbidden unless a caller in this role may so change a role on the chatbot. */
function judge(
  { caller, user_id, permission, role }: Change,
  own: Role,
  { before, after }: { before: Role | undefined; after: Role | undefined },
): void {
  if (role === undefined && user_id === caller) {
    // Who was given less than his role in the department would raise himself by leaving.
    if (after && permissionsOf(after).some((each) => !can(own, each))) throw new AppError('forbidden');
    return;
  }
  if (!can(own, 'view chatbot')) throw new AppError('notFound');
  const within = grantableBy(own);
  const above = [before, after].some((touched) => touched && !within.includes(touched));
  if (!can(own, permission) || above) throw new AppError('forbidden');
}

/** Who was removed from the department while he was given a role is swept off the list by this, or by the removal. */
async function takeBackUnlessIn(
  db: Database,
  { organization_id, department_id }: StoredChatbot,
  user_id: string,
): Promise<void> {
  if (organization_id === null || department_id === null) return;
  if (roleIn(await rolesOf(db, user_id), department_id)) return;
  await forgetGrants(db, { organization_id, department_id }, user_id);
  throw new AppError('userNotFound');
}

/** Who owns a chatbot with this list: he who did, or whoever has been an Owner for longest. */
function ownerAmong(permissions: readonly Grant[], owner_id: string): string {
  const owners = permissions.filter(({ role }) => role === 'Owner').map(({ user_id }) => user_id);
  const [heir] = owners;
  if (heir === undefined) throw new AppError('forbidden', { text: 'The last Owner cannot be removed' });
  return owners.includes(owner_id) ? owner_id : heir;
}
