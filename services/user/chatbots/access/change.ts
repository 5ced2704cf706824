import type { Grant, StoredChatbot } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { AppError } from '@gatehouse/shared/errors';
import { can, grantableBy, type Permission, type Role } from '@gatehouse/shared/rbac';
import { rolesOf } from '../../organizations/roles.ts';
import { roleOn } from '../access.ts';
import { accessListOf } from './contract.ts';

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
  /** Judges whom a role is given for the first time. */
  admit?: (user_id: string, chatbot: StoredChatbot) => Promise<void>;
}

/**
 * Changes one entry of an access list. It is decided on the list as read and written only if nobody has changed
 * the list since; otherwise it is decided anew, so that of two last Owners who leave at once one stays.
 * @throws {AppError} notFound, forbidden, or what `admit` throws.
 */
export async function changeAccess(db: Database, change: Change): Promise<void> {
  const { chatbot_id, caller, user_id, permission, role, at, admit } = change;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [roles, chatbot] = await Promise.all([
      rolesOf(db, caller),
      db.chatbots.findOne({ chatbot_id }, { projection: { name_suffixes: 0 } }),
    ]);
    const own = chatbot && roleOn(chatbot, caller, roles);
    if (!own) throw new AppError('notFound');
    const list = accessListOf(chatbot);
    const current = list.find((grant) => grant.user_id === user_id);

    const leaves = role === undefined && user_id === caller;
    if (!leaves) {
      if (!can(own, 'view chatbot')) throw new AppError('notFound');
      const within = grantableBy(own);
      const above = [role, current?.role].some((touched) => touched && !within.includes(touched));
      if (!can(own, permission) || above) throw new AppError('forbidden');
    }
    if (!current) {
      if (role === undefined) throw new AppError('notFound');
      if (list.length >= MAX_ENTRIES) {
        throw new AppError('invalidFormat', { text: `an access list holds at most ${MAX_ENTRIES} entries` });
      }
      await admit?.(user_id, chatbot);
    }

    const rest = list.filter((grant) => grant !== current);
    const permissions: Grant[] = role
      ? [...rest, { user_id, role, granted_by: caller, granted_at: at }]
      : rest;
    const owners = permissions.filter((grant) => grant.role === 'Owner').map((grant) => grant.user_id);
    const [heir] = owners;
    if (heir === undefined) throw new AppError('forbidden', { text: 'The last Owner stays' });
    const owner_id = owners.includes(chatbot.owner_id) ? chatbot.owner_id : heir;
    const { matchedCount } = await db.chatbots.updateOne(
      {
        chatbot_id,
        owner_id: chatbot.owner_id,
        access_version: chatbot.access_version ?? { $exists: false },
      },
      { $set: { permissions, owner_id }, $inc: { access_version: 1 } },
    );
    if (matchedCount === 1) return;
  }
  throw new AppError('unavailable');
}
