import { activeAmong } from '@gatehouse/shared/identity/users';
import type { StoredChatbot } from '../chatbots/records.ts';
import type { Database } from '../database.ts';
import { accessListOf } from './access-list.ts';
import { accessListWrite } from './succession.ts';

/** Chatbots read in one round trip. */
const BATCH_SIZE = 50;

/**
 * Ends the roles of a user on personal chatbots. One that they own goes to the longest-serving other Owner on its list
 * who can act; without one it is deleted.
 * @param beforeBatch called before each batch.
 * @param beforeDeletion called before chatbots are deleted.
 */
export async function leavePersonalChatbots(
  db: Database,
  user_id: string,
  {
    beforeBatch,
    beforeDeletion,
  }: {
    beforeBatch: () => Promise<void>;
    beforeDeletion: (chatbots: readonly StoredChatbot[]) => Promise<void>;
  },
): Promise<void> {
  const options = { projection: { name_suffixes: 0 }, limit: BATCH_SIZE };
  for (const held of [{ owner_id: user_id }, { 'permissions.user_id': user_id }]) {
    for (;;) {
      await beforeBatch();
      const chatbots = await db.chatbots.find({ ...held, department_id: null }, options).toArray();
      if (chatbots.length === 0) break;
      const others = chatbots.map((chatbot) => ({
        chatbot,
        grants: accessListOf(chatbot).filter((grant) => grant.user_id !== user_id),
      }));
      const owners = others.flatMap(({ grants }) =>
        grants.filter(({ role }) => role === 'Owner').map((grant) => grant.user_id),
      );
      const able = await activeAmong(db.users, owners);
      const { left = [], kept = [] } = Object.groupBy(others, ({ chatbot, grants }) =>
        chatbot.owner_id !== user_id ||
        grants.some((grant) => grant.role === 'Owner' && able.has(grant.user_id))
          ? 'kept'
          : 'left',
      );
      await beforeDeletion(left.map(({ chatbot }) => chatbot));
      await Promise.all([
        ...left.map(({ chatbot: { chatbot_id, owner_id, access_version } }) =>
          db.chatbots.deleteOne({
            chatbot_id,
            owner_id,
            access_version: access_version ?? { $exists: false },
          }),
        ),
        // The chatbot of another keeps its owner, also one who cannot act.
        ...kept.map(({ chatbot, grants }) => {
          const fallback = chatbot.owner_id === user_id ? undefined : chatbot.owner_id;
          const { filter, update } = accessListWrite(chatbot, grants, { able, fallback });
          return db.chatbots.updateOne(filter, update);
        }),
      ]);
    }
  }
}
