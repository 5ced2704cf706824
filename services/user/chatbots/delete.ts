import { messageResponse } from '@gatehouse/shared/http/fields';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import { chatbotId, refusals, tagged } from './contract.ts';

const DELETED = { message: 'Chatbot deleted' } as const;

const schema = {
  ...tagged,
  summary: 'Delete a chatbot',
  description: 'Deletes the chatbot permanently. Of concurrent calls, one succeeds.',
  params: chatbotId,
  response: {
    // No 204 (CONTRACT.md §Statuses).
    200: messageResponse(DELETED.message, 'The chatbot is deleted'),
    ...refusals,
  },
};

const config = { permission: 'delete chatbot' } as const;

/** DELETE /api/v1/chatbots/{chatbot_id}. */
export const deleteChatbot: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.delete('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found } = await permittedChatbots(db, request);
    await found(await db.chatbots.findOneAndDelete({ chatbot_id, ...filter }), chatbot_id);
    return DELETED;
  });
};
