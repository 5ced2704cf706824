import { tenantOf } from '@gatehouse/shared/access/tenant';
import { message } from '@gatehouse/shared/operation/responses';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import { operation } from '../operation.ts';
import { auditedChatbot } from './records.ts';

export const deleteChatbot = operation('DELETE /api/v1/chatbots/{chatbot_id}', {
  needs: 'delete chatbot',
  summary: 'Delete a chatbot',
  description: 'Deletes the chatbot permanently. One of several concurrent calls succeeds.',
  // No 204 (CONTRACT.md §Statuses).
  returns: message('Chatbot deleted', 'The chatbot is deleted'),
  audits: ['chatbot.delete'],
  async handle({ db, request, params: { chatbot_id }, audit }) {
    const { filter, found } = await permittedChatbots(db, request);
    const deleted = await found(await db.chatbots.findOneAndDelete({ chatbot_id, ...filter }), chatbot_id);
    await audit('chatbot.delete', {
      target: { chatbot_id },
      before: auditedChatbot(deleted),
      ...tenantOf(deleted),
    });
  },
});
