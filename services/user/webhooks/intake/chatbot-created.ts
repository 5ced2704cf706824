import type { Filter, UpdateFilter } from 'mongodb';
import { type Chatbot, placeOf, type StoredChatbot } from '../../chatbots/records.ts';
import type { Database } from '../../database.ts';
import type { Accept, IncomingEvent } from './accept.ts';

interface Options {
  db: Database;
  accept: Accept;
}

/** A chatbot whose event is not published yet. One write stores chatbot and mark; publishing removes the mark. */
type Unannounced = StoredChatbot & { unannounced?: true };

/** Stores a new chatbot and publishes `chatbot.created`. */
export async function createAndAnnounce({ db, accept }: Options, chatbot: StoredChatbot): Promise<void> {
  const marked: Unannounced = { ...chatbot, unannounced: true };
  await db.chatbots.insertOne(marked);
  // The chatbot is stored, so the call succeeds; `repair` publishes the event later.
  await publish({ db, accept }, chatbot).catch(() => {});
}

/** Publishes the events of chatbots that are still marked and were stored before an ISO 8601 time. */
export async function publishUnannounced(options: Options, before: string, limit: number): Promise<void> {
  const waiting = { unannounced: true, created_at: { $lte: before } } as Filter<StoredChatbot>;
  const chatbots = await options.db.chatbots.find(waiting).limit(limit).toArray();
  await Promise.all(chatbots.map((chatbot) => publish(options, chatbot)));
}

async function publish({ db, accept }: Options, chatbot: Chatbot): Promise<void> {
  await accept(chatbotCreated(chatbot));
  const unmark = { $unset: { unannounced: '' } } as UpdateFilter<StoredChatbot>;
  await db.chatbots.updateOne({ chatbot_id: chatbot.chatbot_id }, unmark);
}

function chatbotCreated(chatbot: Chatbot): IncomingEvent {
  const { chatbot_id, owner_id, name, type, language, created_at } = chatbot;
  return {
    // Derived from the chatbot, so that publishing twice has no effect.
    id: `chatbot-created_${chatbot_id}`,
    event: 'chatbot.created',
    audience: { owner_id, ...placeOf(chatbot), chatbot_id },
    timestamp: created_at,
    data: { chatbot_id, user_id: owner_id, name, type, language, created_at },
  };
}
