import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permitted } from '../../access/chatbot-roles.ts';
import type { Database } from '../../database.ts';
import { chatbotId, directory, oneRefused } from '../contract.ts';
import { accessList, accessListOf } from './contract.ts';

const config = { permission: 'view users' } as const;

const schema = {
  ...directory,
  summary: 'Read an access list',
  description:
    'Who was given a role on this chatbot, its owner first. Roles in its department hold beside the list, for whom it does not name.',
  params: chatbotId,
  response: { 200: accessList, ...oneRefused },
};

/** GET /api/v1/chatbots/{chatbot_id}/access (spec §Role and permission records). */
export const listAccess: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/chatbots/:chatbot_id/access', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found } = await permitted(db, request);
    const chatbot = await found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    return { chatbot_id, permissions: accessListOf(chatbot) };
  });
};
