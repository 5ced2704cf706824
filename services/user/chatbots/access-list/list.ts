import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permittedChatbots } from '../../access/chatbot-roles.ts';
import type { Database } from '../../database.ts';
import { chatbotId, refusals, tagged } from '../contract.ts';
import { accessList } from './contract.ts';
import { presentAccessList } from './present.ts';

const config = { permission: 'view users' } as const;

const schema = {
  ...tagged,
  summary: 'Read an access list',
  description:
    'Lists the roles granted on this chatbot, its owner first. Members of its department who are not on the list have their role in the department. Entries on a personal chatbot have no name, because they need no consent.',
  params: chatbotId,
  response: { 200: accessList, ...refusals },
};

/** GET /api/v1/chatbots/{chatbot_id}/access (CONTRACT.md §Access list). */
export const listAccess: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/chatbots/:chatbot_id/access', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found } = await permittedChatbots(db, request);
    const chatbot = await found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    return { chatbot_id, permissions: await presentAccessList(db, chatbot) };
  });
};
