import type { Filter, UpdateFilter } from 'mongodb';
import type { Chatbot, StoredChatbot } from '../../chatbots/records.ts';
import type { Database } from '../../database.ts';
import type { PublishedEvent } from '../events.ts';
import type { Accept } from './accept.ts';
import { hears, receiversOf } from './fan-out.ts';

interface Options {
  db: Database;
  accept: Accept;
}

/** A chatbot of which no event tells yet. The mark is written with it, in one write, and goes with the event. */
type Unannounced = StoredChatbot & { unannounced?: true };

/** Stores a new chatbot and tells its owner's webhooks. */
export async function createAndAnnounce({ db, accept }: Options, chatbot: StoredChatbot): Promise<void> {
  const event = chatbotCreated(chatbot);
  const receivers = await receiversOf(db, [event.owner_id]);
  if (!receivers.some((receiver) => hears(receiver, event))) {
    // A copy, because the driver writes its own _id into what it stores.
    await db.chatbots.insertOne({ ...chatbot });
    return;
  }
  const marked: Unannounced = { ...chatbot, unannounced: true };
  await db.chatbots.insertOne(marked);
  // The chatbot is there: that its event may come a little later is no failure of the call.
  await announce({ db, accept }, chatbot).catch(() => {});
}

/** Tells of chatbots that were stored before a moment and whose event a kill, or a failure, kept back. */
export async function announceStored(options: Options, before: string, most: number): Promise<void> {
  const waiting = { unannounced: true, created_at: { $lte: before } } as Filter<StoredChatbot>;
  const chatbots = await options.db.chatbots.find(waiting).limit(most).toArray();
  await Promise.all(chatbots.map((chatbot) => announce(options, chatbot)));
}

async function announce({ db, accept }: Options, chatbot: Chatbot): Promise<void> {
  await accept(chatbotCreated(chatbot));
  const unmark = { $unset: { unannounced: '' } } as UpdateFilter<StoredChatbot>;
  await db.chatbots.updateOne({ chatbot_id: chatbot.chatbot_id }, unmark);
}

const chatbotCreated = ({
  chatbot_id,
  owner_id,
  name,
  type,
  language,
  created_at,
}: Chatbot): PublishedEvent => ({
  // The same whoever tells of it, so that it is told once.
  id: `chatbot-created_${chatbot_id}`,
  event: 'chatbot.created',
  owner_id,
  timestamp: created_at,
  data: { chatbot_id, user_id: owner_id, name, type, language, created_at },
});
