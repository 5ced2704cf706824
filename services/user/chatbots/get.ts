import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import { chatbotId, refusals, tagged } from './contract.ts';
import { chatbotRecord } from './records.ts';

const schema = {
  ...tagged,
  summary: 'Read a chatbot',
  description: 'Returns 404 if the chatbot does not exist or the caller may not view it.',
  params: chatbotId,
  response: { 200: chatbotRecord, ...refusals },
};

const config = { permission: 'view chatbot' } as const;

/** GET /api/v1/chatbots/{chatbot_id}. */
export const getChatbot: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found } = await permittedChatbots(db, request);
    return found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
  });
};
