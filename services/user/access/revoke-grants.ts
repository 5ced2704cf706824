import type { Database } from '../database.ts';
import { accessListOf } from './access-list.ts';
import { accessListWrite } from './succession.ts';

/** Chatbots read in one round trip and written concurrently. */
const BATCH_SIZE = 50;

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
  let hasMore = true;
  while (hasMore) {
    const chatbots = await db.chatbots.find(granted, options).toArray();
    const writes = chatbots.map((chatbot) => {
      const permissions = accessListOf(chatbot).filter((grant) => grant.user_id !== user_id);
      const { filter, update } = accessListWrite(chatbot, permissions, owners[0]);
      return db.chatbots.updateOne(filter, update);
    });
    const results = await Promise.all(writes);
    // The next batch, or lists that changed before they were written.
    hasMore = chatbots.length === BATCH_SIZE || results.some(({ matchedCount }) => matchedCount === 0);
  }
}
