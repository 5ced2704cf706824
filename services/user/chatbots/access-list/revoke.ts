import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { changeAccess } from '../../access/change-access.ts';
import type { Database } from '../../database.ts';
import { refusals, tagged } from '../contract.ts';
import { accessEntry } from './contract.ts';

const REVOKED = { message: 'Access revoked' } as const;

const config = { permission: 'remove users', orOneself: true } as const;

const schema = {
  ...tagged,
  summary: 'Revoke a role on a chatbot',
  description:
    'Removes the entry, so that a role in the department applies again. Callers cannot revoke a role above their own, nor give anyone, including themselves, a higher role by revoking. The last Owner who can act cannot be removed. When the owner is removed, the longest-serving other Owner on the list who can act takes their place.',
  params: accessEntry,
  response: {
    200: messageResponse(REVOKED.message, 'The entry is removed'),
    ...refusals,
  },
};

/** DELETE /api/v1/chatbots/{chatbot_id}/access/{user_id}. */
export const revokeAccess: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.delete('/api/v1/chatbots/:chatbot_id/access/:user_id', { schema, config }, async (request) => {
    const { chatbot_id, user_id } = request.params;
    const { before, place } = await changeAccess(db, {
      chatbot_id,
      caller: callerId(request),
      user_id,
      permission: config.permission,
      at: new Date(now()).toISOString(),
    });
    await audit(db, request, now(), {
      action: 'access.revoke',
      target: { user_id, chatbot_id },
      before,
      ...place,
    });
    return REVOKED;
  });
};
