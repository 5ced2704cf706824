import { operation } from '../dependencies.ts';
import { ownedConnection } from './owned.ts';
import { connectionRecord, presentConnection } from './record.ts';

export const getConnection = operation('GET /api/v1/sso/connections/{connection_id}', {
  needs: 'ownership',
  summary: 'Read a connection',
  description: 'Returns everything but the secrets.',
  returns: connectionRecord,
  async handle(call) {
    const { params, request } = call;
    return presentConnection(call, await ownedConnection(call, request, params.connection_id));
  },
});
