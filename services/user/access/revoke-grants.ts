import type { Database } from '../database.ts';
import { accessListOf } from './access-list.ts';
import { accessListWrite } from './succession.ts';

/** Chatbots written in one round trip. */
const BATCH_SIZE = 100;

/**
 * Removes a user from the access lists of a department's chatbots and passes on those that they own; an Owner of
 * the organization is the fallback. Leftover grants are inert; they are removed so that rejoining does not revive
 * them and nobody mistakes the user for an Owner.
 */
export async function revokeGrants(
  db: Database,
  place: { organization_id: string; department_id: string | { $in: string[] } },
  user_id: string,
): Promise<void> {
  const organization = await db.organizations.findOne({ organization_id: place.organization_id });
  const owners = organization?.owners.map((owner) => owner.user_id) ?? [];
  if (owners.includes(user_id)) return; // still has a role in every department
  const granted = { ...place, $or: [{ owner_id: user_id }, { 'permissions.user_id': user_id }] };
  const options = { projection: { name_suffixes: 0 }, limit: BATCH_SIZE };
  let isDone = false;
  while (!isDone) {
    const chatbots = await db.chatbots.find(granted, options).toArray();
    if (chatbots.length === 0) return;
    const { matchedCount } = await db.chatbots.bulkWrite(
      chatbots.map((chatbot) => {
        const permissions = accessListOf(chatbot).filter((grant) => grant.user_id !== user_id);
        return { updateOne: accessListWrite(chatbot, permissions, owners[0]) };
      }),
      { ordered: false },
    );
    // A list that changed after it was read matched nothing and is read again.
    isDone = chatbots.length < BATCH_SIZE && matchedCount === chatbots.length;
  }
}
