import { oneOf } from '@gatehouse/shared/http/fields';
import { OPERATOR_LEVELS } from '@gatehouse/shared/identity/operators';
import { listQuery, pageResponse, paginationOf } from '@gatehouse/shared/operation/lists';
import { operation } from '../operation.ts';
import { operatorRecord, presentOperator } from './contract.ts';

export const listOperators = operation('GET /api/v1/admin/operators', {
  needs: 'admin operator',
  byKey: true,
  summary: 'List the operators',
  description: 'Lists the operators of the deployment, newest first. `search` is a user_id.',
  query: listQuery({ sortable: ['added_at'], filters: {} }).extend({
    level: oneOf(OPERATOR_LEVELS).optional(),
  }),
  returns: pageResponse(operatorRecord),
  async handle({ db, query }) {
    const { level, search, page, limit, order } = query;
    const chosen = {
      ...(level && { level }),
      ...(search && { _id: search }),
    };
    const direction = order === 'asc' ? 1 : -1;
    const options = {
      sort: { added_at: direction, _id: direction },
      skip: (page - 1) * limit,
      limit,
    } as const;
    const [data, total_items] = await Promise.all([
      db.operators.find(chosen, options).toArray(),
      db.operators.countDocuments(chosen),
    ]);
    return { data: data.map(presentOperator), pagination: paginationOf(total_items, query) };
  },
});
