import { chatbotRecord } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { callerId } from '@gatehouse/shared/principal';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { found, permitted } from './access.ts';
import { chatbotId, directory, oneRefused } from './contract.ts';

const schema = {
  ...directory,
  summary: 'Read a chatbot',
  description: 'One that the caller may not view is answered like one that does not exist.',
  params: chatbotId,
  response: { 200: chatbotRecord, ...oneRefused },
};

/** GET /api/v1/chatbots/{chatbot_id}. */
export async function getChatbot(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get('/api/v1/chatbots/:chatbot_id', { schema }, async (request) => {
      const { chatbot_id } = request.params;
      return found(
        await db.chatbots.findOne({ chatbot_id, ...(await permitted(callerId(request), 'view')) }),
      );
    });
}
