import { randomUUIDv7 } from 'node:crypto';
import { audit } from '@gatehouse/shared/identity/audit';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permittedChatbots, placeForNewChatbot } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import type { Accept } from '../webhooks/intake/accept.ts';
import { createAndAnnounce } from '../webhooks/intake/chatbot-created.ts';
import { chatbotId, MAX_NAME, refusals, tagged } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { auditedChatbot, type Chatbot, chatbotRecord, PERSONAL, placeOf } from './records.ts';

const SUFFIX = ' (copy)';

const schema = {
  ...tagged,
  summary: 'Duplicate a chatbot',
  description: `Creates a copy in the same department, where the caller also needs a role that creates chatbots. The caller is its Owner. Its name ends in "${SUFFIX}"; a long name is cut to make room.`,
  params: chatbotId,
  response: { 201: chatbotRecord, ...refusals },
};

const config = { permission: 'duplicate chatbot' } as const;

/** POST /api/v1/chatbots/{chatbot_id}/duplicate. */
export const duplicateChatbot: FastifyPluginAsyncZod<{
  db: Database;
  now: () => number;
  accept: Accept;
}> = async (app, { db, now, accept }) => {
  app.post('/api/v1/chatbots/:chatbot_id/duplicate', { schema, config }, async (request, reply) => {
    const { chatbot_id } = request.params;
    const { filter, found, roles } = await permittedChatbots(db, request);
    const original = await found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    const owner_id = callerId(request);
    const at = new Date(now()).toISOString();
    // Field by field, so that internal fields are never copied.
    const copy: Chatbot = {
      chatbot_id: randomUUIDv7(),
      name: copiedName(original.name),
      type: original.type,
      avatar_id: original.avatar_id,
      language: original.language,
      status: original.status,
      owner_id,
      ...(original.department_id ? placeForNewChatbot(roles, original.department_id) : PERSONAL),
      created_at: at,
      updated_at: at,
    };
    await createAndAnnounce({ db, accept }, { ...copy, name_suffixes: suffixesOf(copy.name) });
    await audit(db, request, now(), {
      action: 'chatbot.duplicate',
      target: { chatbot_id: copy.chatbot_id },
      after: { ...auditedChatbot(copy), copy_of: chatbot_id },
      ...placeOf(copy),
    });
    return reply.code(201).send(copy);
  });
};

/** Appends the suffix; a name that would become too long is cut between two characters. */
const copiedName = (name: string): string =>
  [...name]
    .slice(0, MAX_NAME - SUFFIX.length)
    .join('')
    .trimEnd() + SUFFIX;
