import { CHATBOT_STATUSES, chatbotRecord, jsonBody, oneOf } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { failures } from '@gatehouse/shared/errors';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { permitted } from './access.ts';
import { chatbotId, described, directory, oneRefused } from './contract.ts';
import { suffixesOf } from './name-search.ts';

const changes = jsonBody({
  name: described.name.exactOptional(),
  type: described.type.exactOptional(),
  avatar_id: described.avatar_id.exactOptional(),
  language: described.language.exactOptional(),
  status: oneOf(CHATBOT_STATUSES).exactOptional(),
})
  .refine((fields) => Object.keys(fields).length > 0, {
    error: 'must hold name, type, avatar_id, language or status',
  })
  .meta({ examples: [{ name: 'Night porter', status: 'paused' }] });

const schema = {
  ...directory,
  summary: 'Change a chatbot',
  description: 'Changes the fields that the body holds and no others.',
  params: chatbotId,
  body: changes,
  response: { 200: chatbotRecord, ...oneRefused, ...failures('catalogue', 'missingField', 'invalidFormat') },
};

const config = { permission: 'edit chatbot' } as const;

/** PATCH /api/v1/chatbots/{chatbot_id}. */
export async function updateChatbot(
  root: FastifyInstance,
  { db, now }: { db: Database; now: () => number },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .patch('/api/v1/chatbots/:chatbot_id', { schema, config }, async (request) => {
      const { chatbot_id } = request.params;
      const { filter, found } = await permitted(db, request);
      const { name } = request.body;
      const changed = {
        ...request.body,
        ...(name !== undefined && { name_suffixes: suffixesOf(name) }),
        updated_at: new Date(now()).toISOString(),
      };
      return found(
        await db.chatbots.findOneAndUpdate(
          { chatbot_id, ...filter },
          { $set: changed },
          { returnDocument: 'after' },
        ),
        chatbot_id,
      );
    });
}
