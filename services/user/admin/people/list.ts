import { AppError } from '@gatehouse/shared/http/errors';
import { oneOf } from '@gatehouse/shared/http/fields';
import { listQuery, pageResponse, paginationOf } from '@gatehouse/shared/operation/lists';
import { operation } from '../operation.ts';
import { personSummary, presentSummary } from './contract.ts';
import { PERSON_STATES, search } from './search.ts';

/** People that are counted, and up to which pages go: whoever has found more narrows the search. */
const MAX_FOUND = 1_000;

export const listPeople = operation('GET /api/v1/admin/people', {
  needs: 'support operator',
  byKey: true,
  summary: 'Find people',
  description: `Finds people by \`search\`: the beginning of an e-mail address, the beginning of any words of the name, or a whole user_id. A new name is found after some seconds. \`state\` filters. Without \`search\`, newest first. Counts up to ${MAX_FOUND.toLocaleString('en')} people; pages beyond are refused. A search that takes longer than five seconds is 503.`,
  query: listQuery({ sortable: ['created_at'], filters: {} }).extend({
    state: oneOf(PERSON_STATES).optional(),
  }),
  returns: pageResponse(personSummary),
  fails: ['invalidFormat'],
  async handle({ db, now, query }) {
    const { page, limit } = query;
    if (page * limit > MAX_FOUND)
      throw new AppError('invalidFormat', { text: 'page: please narrow the search' });
    const { users, total_items } = await search(db, query, { last: page * limit, maxCount: MAX_FOUND });
    return {
      data: users.slice((page - 1) * limit).map((user) => presentSummary(user, now())),
      pagination: paginationOf(Math.max(total_items, users.length), query),
    };
  },
});
