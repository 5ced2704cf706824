import { ROLES } from '@gatehouse/shared/access/rbac';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { grant } from '../../access/access-list.ts';
import { changeAccess } from '../../access/change-access.ts';
import { operation } from '../../operation.ts';

export const grantAccess = operation('PUT /api/v1/chatbots/{chatbot_id}/access/{user_id}', {
  needs: 'assign roles',
  summary: 'Grant or change a role on a chatbot',
  description:
    'Callers cannot grant or change a role above their own, and the last Owner who can act cannot be lowered. On a chatbot of a department, only members of the department can be granted a role.',
  body: jsonBody({ role: oneOf(ROLES) }).meta({ examples: [{ role: 'Editor' }] }),
  returns: grant,
  audits: ['access.grant'],
  async handle({ db, now, caller, request, params: { chatbot_id, user_id }, body: { role }, audit }) {
    const at = new Date(now()).toISOString();
    const granting = { chatbot_id, caller, user_id, permission: 'assign roles' as const, role, at };
    const { before, place } = await changeAccess(db, request, granting);
    await audit('access.grant', { target: { user_id, chatbot_id }, before, after: { role }, ...place });
    return { user_id, role, granted_by: caller, granted_at: at };
  },
});
