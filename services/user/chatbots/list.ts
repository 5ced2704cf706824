import {
  BEARER_FAILURES,
  CHATBOT_STATUSES,
  CHATBOT_TYPES,
  type Chatbot,
  chatbotRecord,
} from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { failures } from '@gatehouse/shared/errors';
import { listQuery, pageOf, readPage } from '@gatehouse/shared/lists';
import { callerId } from '@gatehouse/shared/principal';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { permitted } from './access.ts';
import { directory } from './contract.ts';

const table = {
  sortable: [
    'created_at',
    'updated_at',
    'name',
    'type',
    'avatar_id',
    'language',
    'status',
    'chatbot_id',
    'owner_id',
    'organization_id',
    'department_id',
  ],
  filters: { status: CHATBOT_STATUSES, type: CHATBOT_TYPES },
  searched: 'name',
  unique: 'chatbot_id',
} as const satisfies { sortable: readonly (keyof Chatbot)[]; [part: string]: unknown };

const schema = {
  ...directory,
  summary: 'List chatbots',
  description:
    'Those that the caller may view. `search` looks for its text in the names, without regard to case. A page past the end is empty.',
  querystring: listQuery(table),
  response: {
    200: pageOf(chatbotRecord).meta({
      description: 'One page',
      examples: [
        {
          data: chatbotRecord.meta()?.examples,
          pagination: {
            page: 1,
            limit: 20,
            total_items: 1,
            total_pages: 1,
            has_next: false,
            has_prev: false,
          },
        },
      ],
    }),
    ...failures('catalogue', 'invalidFormat', ...BEARER_FAILURES),
  },
};

/** GET /api/v1/chatbots (spec §Gateway catalogue contract, List query parameters). */
export async function listChatbots(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get('/api/v1/chatbots', { schema }, async (request) =>
      readPage(db.chatbots, table, await permitted(callerId(request), 'view'), request.query),
    );
}
