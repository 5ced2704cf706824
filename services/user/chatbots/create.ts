import { randomUUIDv7 } from 'node:crypto';
import { BEARER_FAILURES, type Chatbot, chatbotRecord, jsonBody, line } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { failures } from '@gatehouse/shared/errors';
import { callerId } from '@gatehouse/shared/principal';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Accept } from '../events/accept.ts';
import { createAndAnnounce } from '../events/chatbot-created.ts';
import { rolesOf } from '../organizations/roles.ts';
import { described, directory } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { NOWHERE, placeIn } from './place.ts';

const config = { permission: 'create chatbot' } as const;

const schema = {
  ...directory,
  summary: 'Create a chatbot',
  description:
    'The caller owns it, and it is active at once. With a `department_id` it is the department’s, which takes a role there; without, it is the caller’s own, which everybody may have.',
  body: jsonBody({ ...described, department_id: line(200).exactOptional() }).meta({
    examples: [{ name: 'Receptionist', type: '3d', avatar_id: 'avatar-7', language: 'en-GB' }],
  }),
  response: {
    201: chatbotRecord,
    ...failures('catalogue', 'missingField', 'invalidFormat', 'notFound', ...BEARER_FAILURES),
  },
};

/** POST /api/v1/chatbots/create (spec §Gateway catalogue contract). */
export async function createChatbot(
  root: FastifyInstance,
  { db, now, accept }: { db: Database; now: () => number; accept: Accept },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .post('/api/v1/chatbots/create', { schema, config }, async (request, reply) => {
      const { department_id, ...fields } = request.body;
      const owner_id = callerId(request);
      const at = new Date(now()).toISOString();
      const chatbot: Chatbot = {
        chatbot_id: randomUUIDv7(),
        ...fields,
        status: 'active',
        owner_id,
        ...(department_id ? placeIn(await rolesOf(db, owner_id), department_id) : NOWHERE),
        created_at: at,
        updated_at: at,
      };
      await createAndAnnounce({ db, accept }, { ...chatbot, name_suffixes: suffixesOf(chatbot.name) });
      return reply.code(201).send(chatbot);
    });
}
