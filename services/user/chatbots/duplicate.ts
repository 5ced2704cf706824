import { randomUUIDv7 } from 'node:crypto';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permitted } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import type { Accept } from '../webhooks/intake/accept.ts';
import { createAndAnnounce } from '../webhooks/intake/chatbot-created.ts';
import { chatbotId, directory, MAX_NAME, oneRefused } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { NOWHERE, placeIn } from './place.ts';
import { type Chatbot, chatbotRecord } from './records.ts';

const SUFFIX = ' (copy)';

const schema = {
  ...directory,
  summary: 'Duplicate a chatbot',
  description: `The caller owns the copy, which stays in the department of the original: there he needs to be one who creates. Its name ends in "${SUFFIX}", where need be in place of its last characters.`,
  params: chatbotId,
  response: { 201: chatbotRecord, ...oneRefused },
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
    const { filter, found, roles } = await permitted(db, request);
    const original = await found(await db.chatbots.findOne({ chatbot_id, ...filter }), chatbot_id);
    const owner_id = callerId(request);
    const at = new Date(now()).toISOString();
    // Field by field, so that nothing which is not public ever comes along.
    const copy: Chatbot = {
      chatbot_id: randomUUIDv7(),
      name: copiedName(original.name),
      type: original.type,
      avatar_id: original.avatar_id,
      language: original.language,
      status: original.status,
      owner_id,
      ...(original.department_id ? placeIn(roles, original.department_id) : NOWHERE),
      created_at: at,
      updated_at: at,
    };
    await createAndAnnounce({ db, accept }, { ...copy, name_suffixes: suffixesOf(copy.name) });
    return reply.code(201).send(copy);
  });
};

/** Cut between characters, so that the whole keeps to its bound. */
const copiedName = (name: string): string =>
  [...name]
    .slice(0, MAX_NAME - SUFFIX.length)
    .join('')
    .trimEnd() + SUFFIX;
