import { ROLES } from '@gatehouse/shared/access/rbac';
import { failures } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { grant } from '../../access/access-list.ts';
import { changeAccess } from '../../access/change-access.ts';
import type { Database } from '../../database.ts';
import { refusals, tagged } from '../contract.ts';
import { accessEntry } from './contract.ts';

const config = { permission: 'assign roles' } as const;

const schema = {
  ...tagged,
  summary: 'Grant or change a role on a chatbot',
  description:
    'Callers cannot grant or change a role above their own, and the last Owner who can act cannot be lowered. On a chatbot of a department, only members of the department can be granted a role.',
  params: accessEntry,
  body: jsonBody({ role: oneOf(ROLES) }).meta({ examples: [{ role: 'Editor' }] }),
  response: { 200: grant, ...refusals, ...failures('catalogue', 'missingField', 'invalidFormat') },
};

/** PUT /api/v1/chatbots/{chatbot_id}/access/{user_id}. */
export const grantAccess: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.put('/api/v1/chatbots/:chatbot_id/access/:user_id', { schema, config }, async (request) => {
    const { chatbot_id, user_id } = request.params;
    const { role } = request.body;
    const caller = callerId(request);
    const at = new Date(now()).toISOString();
    const { before, place } = await changeAccess(db, {
      chatbot_id,
      caller,
      user_id,
      permission: config.permission,
      role,
      at,
    });
    await audit(db, request, now(), {
      action: 'access.grant',
      target: { user_id, chatbot_id },
      before,
      after: { role },
      ...place,
    });
    return { user_id, role, granted_by: caller, granted_at: at };
  });
};
