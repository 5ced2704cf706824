import { randomUUIDv7 } from 'node:crypto';
import { BEARER_FAILURES, type Chatbot, chatbotRecord, jsonBody } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { failures } from '@gatehouse/shared/errors';
import { callerId } from '@gatehouse/shared/principal';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { described, directory } from './contract.ts';

const schema = {
  ...directory,
  summary: 'Create a chatbot',
  description: 'The caller owns it. It is active at once, and belongs to no organization.',
  body: jsonBody(described).meta({
    examples: [{ name: 'Receptionist', type: '3d', avatar_id: 'avatar-7', language: 'en-GB' }],
  }),
  response: {
    201: chatbotRecord,
    ...failures('catalogue', 'missingField', 'invalidFormat', ...BEARER_FAILURES),
  },
};

/** POST /api/v1/chatbots/create (spec §Gateway catalogue contract). */
export async function createChatbot(
  root: FastifyInstance,
  { db, now }: { db: Database; now: () => number },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .post('/api/v1/chatbots/create', { schema }, async (request, reply) => {
      const at = new Date(now()).toISOString();
      const chatbot: Chatbot = {
        chatbot_id: randomUUIDv7(),
        ...request.body,
        status: 'active',
        owner_id: callerId(request),
        organization_id: null,
        department_id: null,
        created_at: at,
        updated_at: at,
      };
      // A copy, because the driver writes its own _id into what it stores.
      await db.chatbots.insertOne({ ...chatbot });
      return reply.code(201).send(chatbot);
    });
}
