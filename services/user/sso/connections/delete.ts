import { found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { SsoOptions } from '../options.ts';
import { auditedConnection, config, connectionPath, operation, refusals } from './contract.ts';
import { requireOwner } from './owned.ts';
import { removeConnection, removeInterrupted } from './remove.ts';

const DELETED = { message: 'Connection deleted' } as const;

const schema = {
  ...operation,
  summary: 'Delete a connection',
  description:
    'Deletes the connection permanently, its SCIM token and what links accounts to it, and ends the sessions that began at it. The accounts stay. Also possible without the plan.',
  params: connectionPath,
  response: { 200: messageResponse(DELETED.message, 'The connection is deleted'), ...refusals },
};

/** DELETE /api/v1/sso/connections/{connection_id}. */
export const deleteConnection: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const { db, now } = options;
  app.delete('/api/v1/sso/connections/:connection_id', { schema, config }, async (request) => {
    const { connection_id } = request.params;
    // A connection whose deletion was interrupted can be deleted again.
    const { organization_id } = found(await db.ssoConnections.findOne({ connection_id }));
    await requireOwner(db, request, organization_id);
    // From here on nobody logs in. The record goes last, so that an interrupted deletion is completed later.
    const before = found(
      await db.ssoConnections.findOneAndUpdate(
        { connection_id },
        { $set: { enabled: false, deleted_at: new Date(now()) }, $unset: { scim_token: true } },
        { returnDocument: 'before' },
      ),
    );
    await removeConnection(options, connection_id);
    await audit(db, request, now(), {
      action: 'connection.delete',
      target: { connection_id },
      organization_id,
      before: auditedConnection(before),
    });
    return DELETED;
  });
  app.addHook('onReady', () => removeInterrupted(options));
};
