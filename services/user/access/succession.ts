import { AppError } from '@gatehouse/shared/http/errors';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { StoredChatbot } from '../chatbots/records.ts';
import type { Database } from '../database.ts';
import { accessListOf, type Grant } from './access-list.ts';

/** Who may own a chatbot after a change of its access list. */
interface Candidates {
  /** The users who can act: with an active account and, on a department's chatbot, a role in the department. */
  able: ReadonlySet<string>;
  /** Becomes the owner if no Owner on the list can act. */
  fallback?: string | undefined;
}

/**
 * Builds the write that replaces the access list of a chatbot. If its owner is no longer an Owner on the list, the
 * longest-serving Owner on it who can act takes their place, or else `fallback` (CONTRACT.md §Access list).
 *
 * Optimistic concurrency: the filter matches nothing if the list has changed since `chatbot` was read.
 * @throws {AppError} forbidden if the list loses an Owner and none who can act is left.
 */
export function accessListWrite(
  chatbot: StoredChatbot,
  permissions: readonly Grant[],
  { able, fallback }: Candidates,
) {
  const owners = ownersOn(permissions);
  const isLost = ownersOn(accessListOf(chatbot)).some((user_id) => !owners.includes(user_id));
  const heir = owners.find((user_id) => able.has(user_id));
  const stays = owners.includes(chatbot.owner_id) && (heir !== undefined || !isLost);
  const owner_id = stays ? chatbot.owner_id : (heir ?? fallback);
  if (owner_id === undefined) throw new AppError('forbidden', { text: 'The last Owner cannot be removed' });
  return {
    filter: {
      chatbot_id: chatbot.chatbot_id,
      owner_id: chatbot.owner_id,
      access_version: chatbot.access_version ?? { $exists: false },
    },
    update: {
      $set: {
        owner_id,
        // A fallback owner may have been on the list with a lower role.
        permissions: permissions.filter(({ user_id, role }) => user_id !== owner_id || role === 'Owner'),
      },
      $inc: { access_version: 1 },
    },
  };
}

/** The user who takes over a chatbot that no Owner on its list can keep: an Owner of the organization, one who can act if possible. */
export async function heirAmong(
  db: Database,
  owners: readonly string[],
  preferred?: string,
): Promise<string | undefined> {
  const active = await activeAmong(db.users, owners);
  const able = owners.filter((user_id) => active.has(user_id));
  return able.find((user_id) => user_id === preferred) ?? able[0] ?? owners[0];
}

/** Finds the Owners on the access lists of department or personal chatbots who can act. */
export async function ableOwners(
  db: Database,
  chatbots: readonly StoredChatbot[],
): Promise<(chatbot: StoredChatbot) => ReadonlySet<string>> {
  const listed = chatbots.flatMap((chatbot) => ownersOn(accessListOf(chatbot)));
  const able = await activeAmong(db.users, listed);
  const departments = unique(chatbots.map(({ department_id }) => department_id));
  const organizations = unique(chatbots.map(({ organization_id }) => organization_id));
  if (departments.length === 0 || able.size === 0) return () => able;
  const user_id = { $in: [...able] };
  const [members, owned] = await Promise.all([
    db.memberships.find({ department_id: { $in: departments }, user_id }).toArray(),
    db.organizations.find({ organization_id: { $in: organizations } }).toArray(),
  ]);
  return ({ organization_id, department_id }) => {
    if (department_id === null) return able;
    const owners = owned.find((each) => each.organization_id === organization_id)?.owners ?? [];
    const present = [...owners, ...members.filter((each) => each.department_id === department_id)];
    return new Set(present.map((each) => String(each.user_id)).filter((id) => able.has(id)));
  };
}

const unique = (ids: (string | null)[]): string[] => [...new Set(ids)].filter((id) => id !== null);

const ownersOn = (permissions: readonly Grant[]): string[] =>
  permissions.filter(({ role }) => role === 'Owner').map(({ user_id }) => user_id);
