import { operation } from '../operation.ts';
import { connectionRecord, presentConnection } from './record.ts';
import { ownedConnection } from './require-owner.ts';

export const getConnection = operation('GET /api/v1/sso/connections/{connection_id}', {
  needs: 'ownership',
  summary: 'Read a connection',
  description: 'Returns everything but the secrets.',
  returns: connectionRecord,
  async handle(call) {
    const { params, request } = call;
    return presentConnection(call, await ownedConnection(call.db, request, params.connection_id));
  },
});
