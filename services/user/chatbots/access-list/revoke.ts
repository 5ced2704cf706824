import { message } from '@gatehouse/shared/operation/responses';
import { changeAccess } from '../../access/change-access.ts';
import { operation } from '../../operation.ts';

export const revokeAccess = operation('DELETE /api/v1/chatbots/{chatbot_id}/access/{user_id}', {
  needs: 'remove users',
  orOneself: true,
  summary: 'Revoke a role on a chatbot',
  description:
    'Removes the entry, so that a role in the department applies again. Callers cannot revoke a role above their own, nor give anyone, including themselves, a higher role by revoking. The last Owner who can act cannot be removed. When the owner is removed, the longest-serving other Owner on the list who can act takes their place.',
  returns: message('Access revoked', 'The entry is removed'),
  audits: ['access.revoke'],
  async handle({ db, now, caller, request, params: { chatbot_id, user_id }, audit }) {
    const at = new Date(now()).toISOString();
    const revocation = { chatbot_id, caller, user_id, permission: 'remove users' as const, at };
    const { before, place } = await changeAccess(db, request, revocation);
    await audit('access.revoke', { target: { user_id, chatbot_id }, before, ...place });
  },
});
