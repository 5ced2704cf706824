import { permittedChatbots } from '../../access/chatbot-roles.ts';
import { operation } from '../../operation.ts';
import { accessList } from './contract.ts';
import { presentAccessList } from './present.ts';

/** CONTRACT.md §Access list. */
export const listAccess = operation('GET /api/v1/chatbots/{chatbot_id}/access', {
  needs: 'view users',
  summary: 'Read an access list',
  description:
    'Lists the roles granted on this chatbot, its owner first. Members of its department who are not on the list have their role in the department. Entries on a personal chatbot have no name, because they need no consent.',
  returns: accessList,
  async handle({ db, request, params: { chatbot_id } }) {
    const { filter, found } = await permittedChatbots(db, request);
    const chatbot = await found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    return { chatbot_id, permissions: await presentAccessList(db, chatbot) };
  },
});
