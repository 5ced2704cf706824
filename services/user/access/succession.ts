import { AppError } from '@gatehouse/shared/http/errors';
import type { StoredChatbot } from '../chatbots/records.ts';
import type { Grant } from './access-list.ts';

/**
 * Builds the write that replaces the access list of a chatbot. If its owner is no longer an Owner on the list, the
 * longest-serving Owner on it takes their place, or else `fallback` (CONTRACT.md §Access list).
 *
 * Optimistic concurrency: the filter matches nothing if the list has changed since `chatbot` was read.
 * @throws {AppError} forbidden if the chatbot would have no owner.
 */
export function accessListWrite(chatbot: StoredChatbot, permissions: readonly Grant[], fallback?: string) {
  const owners = permissions.filter(({ role }) => role === 'Owner').map(({ user_id }) => user_id);
  const owner_id = owners.includes(chatbot.owner_id) ? chatbot.owner_id : (owners[0] ?? fallback);
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
