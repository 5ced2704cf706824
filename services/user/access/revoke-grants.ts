import { isAbove, ROLES } from '@gatehouse/shared/access/rbac';
import type { Filter } from 'mongodb';
import type { StoredChatbot } from '../chatbots/records.ts';
import type { Database } from '../database.ts';
import { accessListOf, type Grant } from './access-list.ts';
import { roleIn, rolesOf } from './roles.ts';
import { ableOwners, accessListWrite, heirAmong } from './succession.ts';

/** Chatbots read in one round trip and written concurrently. */
const BATCH_SIZE = 50;

/**
 * Removes a user from the access lists of a department's chatbots and passes on those that they own. Leftover
 * grants are inert, but rejoining would revive them, and the list would show a former Owner.
 */
export async function revokeGrants(
  db: Database,
  place: { organization_id: string; department_id: string | { $in: string[] } | { $nin: string[] } },
  user_id: string,
): Promise<void> {
  const owners = await ownersOf(db, place.organization_id);
  if (owners.includes(user_id)) return; // still has a role in every department
  // The last Owner has left an archived organization: the chatbots have no heir, and nothing revives the grants.
  if (owners.length === 0) return;
  const granted = { ...place, $or: [{ owner_id: user_id }, { 'permissions.user_id': user_id }] };
  await revoke(db, granted, (grant) => grant.user_id === user_id, owners);
}

/**
 * Removes the roles above a member's role in a department that they granted themselves on its chatbots. A chatbot
 * that they created stays theirs.
 */
export async function revokeSelfGrants(
  db: Database,
  { organization_id, department_id }: { organization_id: string; department_id: string },
  user_id: string,
): Promise<void> {
  const role = roleIn(await rolesOf(db, user_id), department_id);
  const above = ROLES.filter((each) => role !== undefined && isAbove(each, role));
  if (above.length === 0) return;
  const isSelfGrant = (grant: Grant, { created_at }: StoredChatbot) =>
    grant.user_id === user_id &&
    grant.granted_by === user_id &&
    grant.granted_at !== created_at && // the creator's own entry
    above.includes(grant.role);
  const cond = {
    $and: [
      { $eq: ['$$this.user_id', { $literal: user_id }] },
      { $eq: ['$$this.granted_by', { $literal: user_id }] },
      { $ne: ['$$this.granted_at', '$created_at'] },
      { $in: ['$$this.role', above] },
    ],
  };
  const granted = {
    organization_id,
    department_id,
    'permissions.user_id': user_id,
    $expr: { $ne: [{ $filter: { input: { $ifNull: ['$permissions', []] }, cond } }, []] },
  };
  await revoke(db, granted, isSelfGrant, await ownersOf(db, organization_id));
}

const ownersOf = async (db: Database, organization_id: string): Promise<string[]> =>
  (await db.organizations.findOne({ organization_id }))?.owners.map(({ user_id }) => user_id) ?? [];

/** Removes grants from the access lists of the matching chatbots; `owners` of the organization are the fallback. */
async function revoke(
  db: Database,
  granted: Filter<StoredChatbot>,
  isRevoked: (grant: Grant, chatbot: StoredChatbot) => boolean,
  owners: readonly string[],
): Promise<void> {
  const fallback = await heirAmong(db, owners);
  const options = { projection: { name_suffixes: 0 }, limit: BATCH_SIZE };
  let hasMore = true;
  while (hasMore) {
    const chatbots = await db.chatbots.find(granted, options).toArray();
    const ableOn = await ableOwners(db, chatbots);
    const writes = chatbots.map((chatbot) => {
      const permissions = accessListOf(chatbot).filter((grant) => !isRevoked(grant, chatbot));
      const { filter, update } = accessListWrite(chatbot, permissions, { able: ableOn(chatbot), fallback });
      return db.chatbots.updateOne(filter, update);
    });
    const results = await Promise.all(writes);
    // The next batch, or lists that changed before they were written.
    hasMore = chatbots.length === BATCH_SIZE || results.some(({ matchedCount }) => matchedCount === 0);
  }
}
