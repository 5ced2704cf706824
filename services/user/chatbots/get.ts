import { chatbotRecord } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { permitted } from './access.ts';
import { chatbotId, directory, oneRefused } from './contract.ts';

const schema = {
  ...directory,
  summary: 'Read a chatbot',
  description: 'One that the caller may not view is answered like one that does not exist.',
  params: chatbotId,
  response: { 200: chatbotRecord, ...oneRefused },
};

const config = { permission: 'view chatbot' } as const;

/** GET /api/v1/chatbots/{chatbot_id}. */
export async function getChatbot(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
      const { chatbot_id } = request.params;
      const { filter, found } = await permitted(db, request);
      return found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    });
}
