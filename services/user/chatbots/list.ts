import { CHATBOT_TYPES } from '@gatehouse/shared/contract/chatbot-types';
import { listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { permittedChatbots } from '../access/chatbot-roles.ts';
import { operation } from '../operation.ts';
import { nameContains } from './name-search.ts';
import { CHATBOT_STATUSES, type Chatbot, chatbotRecord } from './records.ts';

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

/** CONTRACT.md §Lists. */
export const listChatbots = operation('GET /api/v1/chatbots', {
  needs: 'view chatbot',
  summary: 'List chatbots',
  description:
    'Lists the chatbots that the caller may view: their own, those shared with them and those of their departments. `search` matches any part of the name, ignoring case. A page past the end is empty.',
  query: listQuery(table),
  returns: pageResponse(chatbotRecord),
  async handle({ db, request, query: { organization_id, department_id, ...query } }) {
    const { visible } = await permittedChatbots(db, request, { organization_id, department_id });
    return readPage(db.chatbots, table, visible, query);
  },
});
