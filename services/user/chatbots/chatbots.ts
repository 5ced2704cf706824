import type { Database } from '@gatehouse/shared/database';
import type { FastifyInstance } from 'fastify';
import { createChatbot } from './create.ts';
import { deleteChatbot } from './delete.ts';
import { duplicateChatbot } from './duplicate.ts';
import { getChatbot } from './get.ts';
import { listChatbots } from './list.ts';
import { updateChatbot } from './update.ts';

/** The chatbot directory under /api/v1/chatbots; its callers have passed `requirePrincipal`. */
export async function chatbots(
  app: FastifyInstance,
  options: { db: Database; now: () => number },
): Promise<void> {
  await app.register(createChatbot, options);
  await app.register(listChatbots, options);
  await app.register(getChatbot, options);
  await app.register(updateChatbot, options);
  await app.register(deleteChatbot, options);
  await app.register(duplicateChatbot, options);
}
