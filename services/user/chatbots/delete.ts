import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import { chatbotId, refusals, tagged } from './contract.ts';
import { auditedChatbot, placeOf } from './records.ts';

const DELETED = { message: 'Chatbot deleted' } as const;

const schema = {
  ...tagged,
  summary: 'Delete a chatbot',
  description: 'Deletes the chatbot permanently. One of several concurrent calls succeeds.',
  params: chatbotId,
  response: {
    // No 204 (CONTRACT.md §Statuses).
    200: messageResponse(DELETED.message, 'The chatbot is deleted'),
    ...refusals,
  },
};

const config = { permission: 'delete chatbot' } as const;

/** DELETE /api/v1/chatbots/{chatbot_id}. */
export const deleteChatbot: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.delete('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found } = await permittedChatbots(db, request);
    const deleted = await found(await db.chatbots.findOneAndDelete({ chatbot_id, ...filter }), chatbot_id);
    await audit(db, request, now(), {
      action: 'chatbot.delete',
      target: { chatbot_id },
      before: auditedChatbot(deleted),
      ...placeOf(deleted),
    });
    return DELETED;
  });
};
