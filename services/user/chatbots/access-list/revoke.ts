import { messageResponse } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { changeAccess } from '../../access/change-grant.ts';
import type { Database } from '../../database.ts';
import { directory, oneRefused } from '../contract.ts';
import { accessEntry } from './contract.ts';

const REVOKED = { message: 'Access revoked' } as const;

const config = { permission: 'remove users', orOneself: true } as const;

const schema = {
  ...directory,
  summary: 'Revoke a role on a chatbot',
  description:
    'Takes the entry off the list; a role in the department holds again. Nobody revokes a role above his own, or raises anybody above it by revoking, himself included, and the last Owner stays. When the owner goes, the longest-serving other Owner follows him.',
  params: accessEntry,
  response: {
    200: messageResponse(REVOKED.message, 'The entry is gone'),
    ...oneRefused,
  },
};

/** DELETE /api/v1/chatbots/{chatbot_id}/access/{user_id}. */
export const revokeAccess: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.delete('/api/v1/chatbots/:chatbot_id/access/:user_id', { schema, config }, async (request) => {
    const { chatbot_id, user_id } = request.params;
    await changeAccess(db, {
      chatbot_id,
      caller: callerId(request),
      user_id,
      permission: config.permission,
      at: new Date(now()).toISOString(),
    });
    request.log.info({ chatbot_id, user_id }, 'role on a chatbot revoked');
    return REVOKED;
  });
};
