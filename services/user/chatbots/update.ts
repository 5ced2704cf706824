import { failures } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import { chatbotFields, chatbotId, refusals, tagged } from './contract.ts';
import { suffixesOf } from './name-search.ts';
import { CHATBOT_STATUSES, chatbotRecord, placeOf } from './records.ts';

const changes = jsonBody({
  name: chatbotFields.name.exactOptional(),
  type: chatbotFields.type.exactOptional(),
  avatar_id: chatbotFields.avatar_id.exactOptional(),
  language: chatbotFields.language.exactOptional(),
  status: oneOf(CHATBOT_STATUSES).exactOptional(),
})
  .refine((fields) => Object.keys(fields).length > 0, {
    error: 'must contain name, type, avatar_id, language or status',
  })
  .meta({ examples: [{ name: 'Night porter', status: 'paused' }] });

const schema = {
  ...tagged,
  summary: 'Change a chatbot',
  description: 'Changes only the fields in the body.',
  params: chatbotId,
  body: changes,
  response: { 200: chatbotRecord, ...refusals, ...failures('catalogue', 'missingField', 'invalidFormat') },
};

const config = { permission: 'edit chatbot' } as const;

/** PATCH /api/v1/chatbots/{chatbot_id}. */
export const updateChatbot: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.patch('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
    const { chatbot_id } = request.params;
    const { filter, found } = await permittedChatbots(db, request);
    const { name } = request.body;
    const changed = {
      ...request.body,
      ...(name !== undefined && { name_suffixes: suffixesOf(name) }),
      updated_at: new Date(now()).toISOString(),
    };
    const before = await found(
      await db.chatbots.findOneAndUpdate(
        { chatbot_id, ...filter },
        { $set: changed },
        { returnDocument: 'before' },
      ),
      chatbot_id,
    );
    const given = Object.keys(request.body) as (keyof typeof request.body)[];
    await audit(db, request, now(), {
      action: 'chatbot.update',
      target: { chatbot_id },
      before: Object.fromEntries(given.map((field) => [field, before[field]])),
      after: request.body,
      ...placeOf(before),
    });
    return { ...before, ...changed };
  });
};
