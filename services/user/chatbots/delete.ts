import { saying } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { permitted } from './access.ts';
import { chatbotId, directory, oneRefused } from './contract.ts';

const DELETED = { message: 'Chatbot deleted' } as const;

const schema = {
  ...directory,
  summary: 'Delete a chatbot',
  description: 'For good. Of several calls at once one succeeds.',
  params: chatbotId,
  response: {
    // spec §Errors lists the status codes in use: there is no 204.
    200: saying(DELETED.message, 'It is gone'),
    ...oneRefused,
  },
};

const config = { permission: 'delete chatbot' } as const;

/** DELETE /api/v1/chatbots/{chatbot_id}. */
export async function deleteChatbot(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .delete('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
      const { chatbot_id } = request.params;
      const { filter, found } = await permitted(db, request);
      await found(await db.chatbots.findOneAndDelete({ chatbot_id, ...filter }), chatbot_id);
      return DELETED;
    });
}
