import { failures, found } from '@gatehouse/shared/http/errors';
import { messageResponse, oneOf } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { SsoOptions } from '../options.ts';
import { config, connectionPath, operation, refusals } from './contract.ts';
import { requireOwner } from './owned.ts';
import { auditedConnection } from './record.ts';
import { removeConnection, removeInterrupted } from './remove.ts';
import { refuseLast, releaseStranded } from './stranded-domains.ts';

const DELETED = { message: 'Connection deleted' } as const;

const schema = {
  ...operation,
  summary: 'Delete a connection',
  description:
    'Deletes the connection permanently, its SCIM token and what links accounts to it, and ends the sessions that began at it. The accounts stay. Also possible without the plan. The last enabled connection of a domain that requires single sign-on is 409, unless `release=true` ends the requirement.',
  params: connectionPath,
  querystring: z.object({
    release: oneOf(['true', 'false'])
      .exactOptional()
      .meta({ description: 'Whether domains that would keep no connection stop requiring single sign-on' }),
  }),
  response: {
    200: messageResponse(DELETED.message, 'The connection is deleted'),
    ...refusals,
    ...failures('catalogue', 'duplicate'),
  },
};

/** DELETE /api/v1/sso/connections/{connection_id}. */
export const deleteConnection: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const { db, now } = options;
  app.delete('/api/v1/sso/connections/:connection_id', { schema, config }, async (request) => {
    const { connection_id } = request.params;
    // A connection whose deletion was interrupted can be deleted again.
    const connection = found(await db.ssoConnections.findOne({ connection_id }));
    const { organization_id } = connection;
    await requireOwner(db, request, organization_id);
    const release = request.query.release === 'true';
    if (!release) await refuseLast(options, connection, { deleting: true });
    // From here on nobody logs in. The record goes last, so that an interrupted deletion is completed later.
    const before = found(
      await db.ssoConnections.findOneAndUpdate(
        { connection_id },
        { $set: { enabled: false, deleted_at: new Date(now()) }, $unset: { scim_token: true } },
        { returnDocument: 'before' },
      ),
    );
    if (release) await releaseStranded(options, request, connection, { deleting: true });
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
