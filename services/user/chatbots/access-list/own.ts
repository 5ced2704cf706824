import { found } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { rolesOf } from '../../access/roles.ts';
import type { Database } from '../../database.ts';
import { chatbotId, refusals, tagged } from '../contract.ts';
import { ownAccessRecord } from './contract.ts';
import { presentOwnAccess } from './present.ts';

const config = { permission: 'membership' } as const;

const schema = {
  ...tagged,
  summary: 'Read your role on a chatbot',
  description:
    'Returns the caller’s role and its permissions, for user interfaces and for platform services that hold the caller’s bearer token. In an archived department only the permissions to read are left.',
  params: chatbotId,
  response: { 200: ownAccessRecord, ...refusals },
};

/** GET /api/v1/chatbots/{chatbot_id}/access/me. */
export const ownAccess: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/chatbots/:chatbot_id/access/me', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const user_id = callerId(request);
    const [roles, chatbot] = await Promise.all([
      rolesOf(db, user_id),
      db.chatbots.findOne({ chatbot_id }, { projection: { name_suffixes: 0 } }),
    ]);
    return presentOwnAccess(found(chatbot), user_id, roles);
  });
};
