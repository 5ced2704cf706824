import type { Filter } from 'mongodb';
import type { StoredChatbot } from '../chatbots/records.ts';
import type { Database } from '../database.ts';
import { accessListOf } from './access-list.ts';

/** Entries of access lists in one answer. */
export const MAX_ROLES = 100;

/**
 * The entries of a member on the access lists of the chatbots of a department, or of a whole organization, the latest
 * first, and their number.
 */
export async function grantsOfMember(
  db: Database,
  { user_id, ...place }: { organization_id: string; department_id?: string; user_id: string },
  readable: Filter<StoredChatbot>,
) {
  const named = {
    ...place,
    $and: [{ $or: [{ owner_id: user_id }, { 'permissions.user_id': user_id }] }, readable],
  };
  const isTheirs = { $eq: ['$$this.user_id', { $literal: user_id }] };
  const permissions = { $filter: { input: { $ifNull: ['$permissions', []] }, cond: isTheirs } };
  const [chatbots, chatbot_roles_total] = await Promise.all([
    db.chatbots
      .aggregate<StoredChatbot>([
        { $match: named },
        { $project: { _id: 0, chatbot_id: 1, department_id: 1, owner_id: 1, created_at: 1, permissions } },
        { $set: { at: { $ifNull: [{ $arrayElemAt: ['$permissions.granted_at', 0] }, '$created_at'] } } },
        { $sort: { at: -1, chatbot_id: 1 } },
        { $limit: MAX_ROLES },
      ])
      .toArray(),
    db.chatbots.countDocuments(named),
  ]);
  const chatbot_roles = chatbots.flatMap((chatbot) =>
    accessListOf(chatbot)
      .filter((grant) => grant.user_id === user_id)
      .map(({ role, granted_by, granted_at }) => ({
        chatbot_id: chatbot.chatbot_id,
        department_id: chatbot.department_id ?? '',
        role,
        granted_by,
        granted_at,
      })),
  );
  return { chatbot_roles, chatbot_roles_total };
}
