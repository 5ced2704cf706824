import { randomUUIDv7 } from 'node:crypto';
import { BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { placeForNewChatbot } from '../access/chatbot-roles.ts';
import { rolesOf } from '../access/roles.ts';
import type { Database } from '../database.ts';
import type { Accept } from '../webhooks/intake/accept.ts';
import { createAndAnnounce } from '../webhooks/intake/chatbot-created.ts';
import { chatbotFields, tagged } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { auditedChatbot, type Chatbot, chatbotRecord, PERSONAL, placeOf } from './records.ts';

const config = { permission: 'create chatbot' } as const;

const schema = {
  ...tagged,
  summary: 'Create a chatbot',
  description:
    'The chatbot is active at once and the caller is its Owner. With a `department_id` it belongs to that department, where the caller needs a role that creates chatbots; without one it is a personal chatbot.',
  body: jsonBody({ ...chatbotFields, department_id: line(200).exactOptional() }).meta({
    examples: [{ name: 'Receptionist', type: '3d', avatar_id: 'avatar-7', language: 'en-GB' }],
  }),
  response: {
    201: chatbotRecord,
    ...failures('catalogue', 'missingField', 'invalidFormat', 'notFound', ...BEARER_FAILURES),
  },
};

/** POST /api/v1/chatbots/create (CONTRACT.md §Chatbots). */
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
      ...(department_id ? placeForNewChatbot(await rolesOf(db, owner_id), department_id) : PERSONAL),
      created_at: at,
      updated_at: at,
    };
    await createAndAnnounce({ db, accept }, { ...chatbot, name_suffixes: suffixesOf(chatbot.name) });
    await audit(db, request, now(), {
      action: 'chatbot.create',
      target: { chatbot_id: chatbot.chatbot_id },
      after: auditedChatbot(chatbot),
      ...placeOf(chatbot),
    });
    return reply.code(201).send(chatbot);
  });
};
