import { AppError } from '@gatehouse/shared/http/errors';
import { accessListOf } from '../../access/access-list.ts';
import { permissionsIn } from '../../access/archived.ts';
import { roleOn } from '../../access/chatbot-roles.ts';
import { namesInDepartment } from '../../access/people.ts';
import { archivedIn, type Roles } from '../../access/roles.ts';
import type { Database } from '../../database.ts';
import type { StoredChatbot } from '../records.ts';

/** The role of a user on a chatbot, with its permissions. @throws {AppError} notFound without one. */
export function presentOwnAccess(chatbot: StoredChatbot, user_id: string, roles: Roles) {
  const { chatbot_id, department_id } = chatbot;
  const role = roleOn(chatbot, user_id, roles);
  if (!role) throw new AppError('notFound');
  const permissions: string[] = permissionsIn(role, archivedIn(roles, department_id));
  return { chatbot_id, user_id, role, permissions };
}

/** The entries of an access list with the names of their people. */
export async function presentAccessList(db: Database, chatbot: StoredChatbot) {
  const list = accessListOf(chatbot);
  const user_ids = list.map(({ user_id }) => user_id);
  const nameOf = await namesInDepartment(db, chatbot, user_ids);
  return list.map((grant) => ({ ...grant, name: nameOf(grant.user_id) }));
}
