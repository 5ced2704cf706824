import { saying } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { callerId } from '@gatehouse/shared/principal';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { directory, oneRefused } from '../contract.ts';
import { changeAccess } from './change.ts';
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
    200: saying(REVOKED.message, 'The entry is gone'),
    ...oneRefused,
  },
};

/** DELETE /api/v1/chatbots/{chatbot_id}/access/{user_id}. */
export async function revokeAccess(
  root: FastifyInstance,
  { db, now }: { db: Database; now: () => number },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .delete('/api/v1/chatbots/:chatbot_id/access/:user_id', { schema, config }, async (request) => {
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
}
