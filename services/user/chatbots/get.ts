import { oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import { operation } from '../operation.ts';
import { accessList, ownAccessRecord } from './access-list/contract.ts';
import { presentAccessList, presentOwnAccess } from './access-list/present.ts';
import { chatbotRecord } from './records.ts';

/** The fields that `include=access` adds. */
const includedAccess = ownAccessRecord.omit({ chatbot_id: true }).extend({
  list: accessList.shape.permissions.nullable().meta({ description: 'Null without `view users`' }),
});

export const getChatbot = operation('GET /api/v1/chatbots/{chatbot_id}', {
  needs: 'view chatbot',
  summary: 'Read a chatbot',
  description:
    'Returns 404 if the chatbot does not exist or the caller may not view it. With `include=access`, also the caller’s role with its permissions and, with the permission `view users`, the access list.',
  query: z.object({ include: oneOf(['access']).optional() }),
  returns: chatbotRecord.extend({ access: includedAccess.exactOptional() }).meta(chatbotRecord.meta() ?? {}),
  async handle({ db, request, params: { chatbot_id }, query }) {
    const { filter, found, roles } = await permittedChatbots(db, request);
    const chatbot = await found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    if (!query.include) return chatbot;
    const { chatbot_id: _, ...own } = presentOwnAccess(chatbot, request, roles);
    const list = own.permissions.includes('view users') ? await presentAccessList(db, chatbot) : null;
    return { ...chatbot, access: { ...own, list } };
  },
});
