import { permissionsOf, ROLES } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { permissionsIn } from '../../access/archived.ts';
import { roleOn } from '../../access/chatbot-roles.ts';
import { archivedIn, rolesOf } from '../../access/roles.ts';
import type { Database } from '../../database.ts';
import { chatbotId, refusals, tagged } from '../contract.ts';

const config = { permission: 'membership' } as const;

const schema = {
  ...tagged,
  summary: 'Read your role on a chatbot',
  description:
    'Returns the caller’s role and its permissions, for user interfaces and for platform services that hold the caller’s bearer token. In an archived department only the permissions to read are left.',
  params: chatbotId,
  response: {
    200: z
      .object({
        chatbot_id: z.string(),
        user_id: z.string(),
        role: z.enum(ROLES),
        permissions: z.array(z.string()),
      })
      .meta({
        description: 'The role and its permissions',
        examples: [
          {
            chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
            user_id: 'User-720415',
            role: 'Analyst',
            permissions: permissionsOf('Analyst'),
          },
        ],
      }),
    ...refusals,
  },
};

/** GET /api/v1/chatbots/{chatbot_id}/access/me. */
export const ownAccess: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/chatbots/:chatbot_id/access/me', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const user_id = callerId(request);
    const [roles, chatbot] = await Promise.all([
      rolesOf(db, user_id),
      db.chatbots.findOne({ chatbot_id }, { projection: { name_suffixes: 0 } }),
    ]);
    const role = chatbot && roleOn(chatbot, user_id, roles);
    if (!role) throw new AppError('notFound');
    const permissions = permissionsIn(role, archivedIn(roles, chatbot.department_id));
    return { chatbot_id, user_id, role, permissions };
  });
};
