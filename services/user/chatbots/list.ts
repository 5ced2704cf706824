import { BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import type { Database } from '../database.ts';
import { listQuery, pageResponse, readPage } from '../lists.ts';
import { tagged } from './contract.ts';
import { nameContains } from './name-search.ts';
import { CHATBOT_STATUSES, CHATBOT_TYPES, type Chatbot, chatbotRecord } from './records.ts';

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
  search: nameContains,
  hidden: ['permissions', 'access_version', 'name_suffixes'],
  unique: 'chatbot_id',
} as const satisfies { sortable: readonly (keyof Chatbot)[]; [part: string]: unknown };

const schema = {
  ...tagged,
  summary: 'List chatbots',
  description:
    'Lists the chatbots that the caller may view: their own, those shared with them and those of their departments. `search` matches any part of the name, ignoring case. A page past the end is empty.',
  querystring: listQuery(table),
  response: {
    200: pageResponse(chatbotRecord),
    ...failures('catalogue', 'invalidFormat', ...BEARER_FAILURES),
  },
};

const config = { permission: 'view chatbot' } as const;

/** GET /api/v1/chatbots (CONTRACT.md §Lists). */
export const listChatbots: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/chatbots', { schema, config }, async (request) => {
    const { organization_id, department_id, ...query } = request.query;
    const { visible } = await permittedChatbots(db, request, { organization_id, department_id });
    return readPage(db.chatbots, table, visible, query);
  });
};
