import { oneOf } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import { accessList, ownAccessRecord } from './access-list/contract.ts';
import { presentAccessList, presentOwnAccess } from './access-list/present.ts';
import { chatbotId, refusals, tagged } from './contract.ts';
import { chatbotRecord } from './records.ts';

/** What `include=access` adds. */
const includedAccess = ownAccessRecord.omit({ chatbot_id: true }).extend({
  list: accessList.shape.permissions.nullable().meta({ description: 'Null without `view users`' }),
});

const schema = {
  ...tagged,
  summary: 'Read a chatbot',
  description:
    'Returns 404 if the chatbot does not exist or the caller may not view it. With `include=access`, also the caller’s role with its permissions and, with the permission `view users`, the access list.',
  params: chatbotId,
  querystring: z.object({ include: oneOf(['access']).optional() }),
  response: {
    200: chatbotRecord.extend({ access: includedAccess.exactOptional() }).meta(chatbotRecord.meta() ?? {}),
    ...refusals,
  },
};

const config = { permission: 'view chatbot' } as const;

/** GET /api/v1/chatbots/{chatbot_id}. */
export const getChatbot: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found, roles } = await permittedChatbots(db, request);
    const chatbot = await found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    if (!request.query.include) return chatbot;
    const { chatbot_id: _, ...own } = presentOwnAccess(chatbot, callerId(request), roles);
    const list = own.permissions.includes('view users') ? await presentAccessList(db, chatbot) : null;
    return { ...chatbot, access: { ...own, list } };
  });
};
