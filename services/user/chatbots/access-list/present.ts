import { AppError } from '@gatehouse/shared/http/errors';
import { keyAllows } from '@gatehouse/shared/identity/machine-keys/admit';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyRequest } from 'fastify';
import { accessListOf } from '../../access/access-list.ts';
import { permissionsIn } from '../../access/archived.ts';
import { type CallerRoles, refuseUnenrolled } from '../../access/caller-roles.ts';
import { roleOn } from '../../access/chatbot-roles.ts';
import { namesInDepartment } from '../../access/people.ts';
import { archivedIn } from '../../access/roles.ts';
import type { Database } from '../../database.ts';
import type { StoredChatbot } from '../records.ts';

/**
 * The role of the caller on a chatbot, with its permissions, of which a key has at most its own.
 * @throws {AppError} notFound without a role; enrollmentRequired.
 */
export function presentOwnAccess(chatbot: StoredChatbot, request: FastifyRequest, roles: CallerRoles) {
  const user_id = callerId(request);
  const { chatbot_id, organization_id, department_id } = chatbot;
  const role = roleOn(chatbot, user_id, roles);
  if (!role) throw new AppError('notFound');
  refuseUnenrolled(roles, organization_id);
  const permissions: string[] = permissionsIn(role, archivedIn(roles, department_id)).filter((permission) =>
    keyAllows(request, permission),
  );
  return { chatbot_id, user_id, role, permissions };
}

/** The entries of an access list with the names of their people. */
export async function presentAccessList(db: Database, chatbot: StoredChatbot) {
  const list = accessListOf(chatbot);
  const user_ids = list.map(({ user_id }) => user_id);
  const nameOf = await namesInDepartment(db, chatbot, user_ids);
  return list.map((grant) => ({ ...grant, name: nameOf(grant.user_id) }));
}
