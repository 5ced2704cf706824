import { grant, jsonBody, oneOf } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { failures } from '@gatehouse/shared/errors';
import { callerId } from '@gatehouse/shared/principal';
import { ROLES } from '@gatehouse/shared/rbac';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { directory, oneRefused } from '../contract.ts';
import { changeAccess } from './change.ts';
import { accessEntry } from './contract.ts';

const config = { permission: 'assign roles' } as const;

const schema = {
  ...directory,
  summary: 'Grant or change a role on a chatbot',
  description:
    'Nobody grants a role above his own, or changes one, and the last Owner stays. On a chatbot of a department only its members can have a role.',
  params: accessEntry,
  body: jsonBody({ role: oneOf(ROLES) }).meta({ examples: [{ role: 'Editor' }] }),
  response: { 200: grant, ...oneRefused, ...failures('catalogue', 'missingField', 'invalidFormat') },
};

/** PUT /api/v1/chatbots/{chatbot_id}/access/{user_id}. */
export async function grantAccess(
  root: FastifyInstance,
  { db, now }: { db: Database; now: () => number },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .put('/api/v1/chatbots/:chatbot_id/access/:user_id', { schema, config }, async (request) => {
      const { chatbot_id, user_id } = request.params;
      const { role } = request.body;
      const caller = callerId(request);
      const at = new Date(now()).toISOString();
      await changeAccess(db, {
        chatbot_id,
        caller,
        user_id,
        permission: config.permission,
        role,
        at,
      });
      request.log.info({ chatbot_id, user_id, role }, 'role on a chatbot granted');
      return { user_id, role, granted_by: caller, granted_at: at };
    });
}
