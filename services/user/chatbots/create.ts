import { randomUUIDv7 } from 'node:crypto';
import { BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { rolesOf } from '../access/roles.ts';
import type { Database } from '../database.ts';
import type { Accept } from '../webhooks/intake/accept.ts';
import { createAndAnnounce } from '../webhooks/intake/chatbot-created.ts';
import { described, directory } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { NOWHERE, placeIn } from './place.ts';
import { type Chatbot, chatbotRecord } from './records.ts';

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
export const createChatbot: FastifyPluginAsyncZod<{
  db: Database;
  now: () => number;
  accept: Accept;
}> = async (app, { db, now, accept }) => {
  app.post('/api/v1/chatbots/create', { schema, config }, async (request, reply) => {
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
};
