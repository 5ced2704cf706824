import type { Tenant } from '@gatehouse/shared/access/tenant';
import { accessListOf } from '../access/access-list.ts';
import { revokeGrants } from '../access/revoke-grants.ts';
import type { Database } from '../database.ts';
import type { StoredChatbot } from './records.ts';

/** Returns the users with a role in a department; none for a personal chatbot. */
export async function membersAmong(
  db: Database,
  { organization_id, department_id }: Tenant,
  users: Iterable<string>,
): Promise<ReadonlySet<string>> {
  if (organization_id === null || department_id === null) return new Set();
  const given = [...new Set(users)];
  const [members, organization] = await Promise.all([
    db.memberships.distinct('user_id', { department_id, user_id: { $in: given } }),
    db.organizations.findOne({ organization_id }, { projection: { owners: 1 } }),
  ]);
  const present = new Set([...members, ...(organization?.owners ?? []).map(({ user_id }) => user_id)]);
  return new Set(given.filter((user_id) => present.has(user_id)));
}

export const listedOn = (chatbot: StoredChatbot): string[] =>
  accessListOf(chatbot).map(({ user_id }) => user_id);

/**
 * Builds the write that moves a chatbot. Access-list entries of the target's members stay. The owner stays if they are
 * one; otherwise the heir becomes the owner.
 *
 * Optimistic concurrency: the filter matches nothing if the place or the list has changed since `chatbot` was read.
 * @param at ISO 8601.
 */
export function moveWrite(
  chatbot: StoredChatbot,
  place: Tenant,
  { members, heir, at }: { members: ReadonlySet<string>; heir: string; at: string },
) {
  const owner_id = members.has(chatbot.owner_id) ? chatbot.owner_id : heir;
  const permissions = accessListOf(chatbot).filter(
    // The heir may be on the list with a lower role.
    ({ user_id, role }) => members.has(user_id) && (user_id !== owner_id || role === 'Owner'),
  );
  return {
    filter: {
      chatbot_id: chatbot.chatbot_id,
      department_id: chatbot.department_id,
      owner_id: chatbot.owner_id,
      access_version: chatbot.access_version ?? { $exists: false },
    },
    update: {
      $set: {
        organization_id: place.organization_id,
        department_id: place.department_id,
        owner_id,
        permissions,
        updated_at: at,
      },
      $inc: { access_version: 1 },
    },
  };
}

/** Revokes the grants of users who were removed from the target while chatbots moved there. */
export async function revokeRemovedMeanwhile(
  db: Database,
  place: Tenant,
  users: Iterable<string>,
): Promise<void> {
  const { organization_id, department_id } = place;
  if (organization_id === null || department_id === null) return;
  const given = [...new Set(users)];
  const members = await membersAmong(db, place, given);
  for (const user_id of given.filter((each) => !members.has(each)))
    await revokeGrants(db, { organization_id, department_id }, user_id);
}
