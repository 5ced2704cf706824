import { tenantOf } from '@gatehouse/shared/access/tenant';
import { bounded } from '@gatehouse/shared/data/bounded';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { Accept, IncomingEvent } from '@gatehouse/webhooks/accept';
import type { FastifyBaseLogger } from 'fastify';
import type { Filter, UpdateFilter } from 'mongodb';
import type { Database } from '../database.ts';
import type { Chatbot, StoredChatbot } from './records.ts';

/** Milliseconds between two looks. */
export const INTERVAL = 5_000;
/** Milliseconds after which a chatbot that is not announced counts as interrupted. */
const STALE_AFTER = 10_000;
const PAGE = 200;

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
  // The chatbot is stored, so the call succeeds; a job publishes the event later.
  await publish({ db, accept }, chatbot).catch(() => {});
}

/** Publishes the events of chatbots that are still marked although their call must have ended. */
export async function announceInterrupted(options: Options & { now: () => number }): Promise<void> {
  const before = new Date(options.now() - STALE_AFTER).toISOString();
  const waiting = { unannounced: true, created_at: { $lte: before } } as Filter<StoredChatbot>;
  const chatbots = await bounded(options.db.chatbots.find(waiting).limit(PAGE).toArray());
  await Promise.all(chatbots.map((chatbot) => publish(options, chatbot)));
}

/** Announces periodically. */
export const createAnnouncements = (
  options: Options & { now: () => number; log: FastifyBaseLogger },
): Poller =>
  createPoller({
    interval: INTERVAL,
    run: () => announceInterrupted(options),
    log: options.log,
    failure: 'cannot announce chatbots',
  });

async function publish({ db, accept }: Options, chatbot: Chatbot): Promise<void> {
  await accept(chatbotCreated(chatbot));
  const unmark = { $unset: { unannounced: '' } } as UpdateFilter<StoredChatbot>;
  await db.chatbots.updateOne({ chatbot_id: chatbot.chatbot_id }, unmark);
}

function chatbotCreated(chatbot: Chatbot): IncomingEvent {
  const { chatbot_id, owner_id, name, type, language, created_at } = chatbot;
  return {
    // Derived from the chatbot: publishing twice has no effect.
    id: `chatbot-created_${chatbot_id}`,
    event: 'chatbot.created',
    audience: { owner_id, ...tenantOf(chatbot), chatbot_id },
    timestamp: created_at,
    data: { chatbot_id, user_id: owner_id, name, type, language, created_at },
  };
}
