import { messageResponse } from '@gatehouse/shared/http/fields';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permitted } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import { chatbotId, directory, oneRefused } from './contract.ts';

const DELETED = { message: 'Chatbot deleted' } as const;

const schema = {
  ...directory,
  summary: 'Delete a chatbot',
  description: 'For good. Of several calls at once one succeeds.',
  params: chatbotId,
  response: {
    // spec §Errors lists the status codes in use: there is no 204.
    200: messageResponse(DELETED.message, 'It is gone'),
    ...oneRefused,
  },
};

const config = { permission: 'delete chatbot' } as const;

/** DELETE /api/v1/chatbots/{chatbot_id}. */
export const deleteChatbot: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.delete('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found } = await permitted(db, request);
    await found(await db.chatbots.findOneAndDelete({ chatbot_id, ...filter }), chatbot_id);
    return DELETED;
  });
};
