import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permitted } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import { chatbotId, directory, oneRefused } from './contract.ts';
import { chatbotRecord } from './records.ts';

const schema = {
  ...directory,
  summary: 'Read a chatbot',
  description: 'One that the caller may not view is answered like one that does not exist.',
  params: chatbotId,
  response: { 200: chatbotRecord, ...oneRefused },
};

const config = { permission: 'view chatbot' } as const;

/** GET /api/v1/chatbots/{chatbot_id}. */
export const getChatbot: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found } = await permitted(db, request);
    return found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
  });
};
