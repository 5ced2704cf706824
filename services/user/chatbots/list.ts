import {
  BEARER_FAILURES,
  CHATBOT_STATUSES,
  CHATBOT_TYPES,
  type Chatbot,
  chatbotRecord,
} from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { failures } from '@gatehouse/shared/errors';
import { listQuery, onePage, readPage } from '@gatehouse/shared/lists';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { permitted } from './access.ts';
import { directory } from './contract.ts';
import { named } from './name-search.ts';

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
  filters: {
    status: CHATBOT_STATUSES,
    type: CHATBOT_TYPES,
    organization_id: null,
    department_id: null,
  },
  searched: named,
  hidden: ['permissions', 'access_version', 'name_suffixes'],
  unique: 'chatbot_id',
} as const satisfies { sortable: readonly (keyof Chatbot)[]; [part: string]: unknown };

const schema = {
  ...directory,
  summary: 'List chatbots',
  description:
    'Those that the caller may view, his own and those of every department in which he has a role. `search` looks for its text in the names, without regard to case. A page past the end is empty.',
  querystring: listQuery(table),
  response: {
    200: onePage(chatbotRecord),
    ...failures('catalogue', 'invalidFormat', ...BEARER_FAILURES),
  },
};

const config = { permission: 'view chatbot' } as const;

/** GET /api/v1/chatbots (spec §Gateway catalogue contract, List query parameters). */
export async function listChatbots(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root.withTypeProvider<ZodTypeProvider>().get('/api/v1/chatbots', { schema, config }, async (request) => {
    const { organization_id, department_id, ...query } = request.query;
    const { visible } = await permitted(db, request, { organization_id, department_id });
    return readPage(db.chatbots, table, visible, query);
  });
}
