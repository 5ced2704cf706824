import { orNotFound } from '@gatehouse/shared/http/errors';
import { oneOf } from '@gatehouse/shared/http/fields';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { message } from '@gatehouse/shared/operation/responses';
import { z } from 'zod';
import { operation } from '../dependencies.ts';
import { auditedConnection } from './record.ts';
import { removeConnection } from './remove.ts';
import { refuseLast, releaseStranded } from './stranded-domains.ts';

export const deleteConnection = operation('DELETE /api/v1/sso/connections/{connection_id}', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Delete a connection',
  description:
    'Deletes the connection permanently, its SCIM token and what links accounts to it, and ends the sessions that began at it. The accounts stay. Also possible without the plan. The last enabled connection of a domain that requires single sign-on is 409, unless `release=true` ends the requirement.',
  query: z.object({
    release: oneOf(['true', 'false'])
      .exactOptional()
      .meta({ description: 'Whether domains that would keep no connection stop requiring single sign-on' }),
  }),
  returns: message('Connection deleted', 'The connection is deleted'),
  fails: ['duplicate'],
  audits: ['connection.delete', 'domain.update'],
  async handle(call) {
    const { db, host, now, audit, params, query, request } = call;
    const { connection_id } = params;
    const { user } = principalOf(request);
    // A connection whose deletion was interrupted can be deleted again.
    const connection = orNotFound(await db.ssoConnections.findOne({ connection_id }));
    const { organization_id } = connection;
    await host.requireOwner(request, organization_id);
    const release = query.release === 'true';
    if (!release) await refuseLast(call, connection, { deleting: true });
    // This write ends logins. The record goes last: a repair completes an interrupted deletion.
    const before = orNotFound(
      await db.ssoConnections.findOneAndUpdate(
        { connection_id },
        {
          $set: {
            enabled: false,
            deleted_at: new Date(now()),
            ...(release && { released_by: { user_id: call.caller, email: user.email } }),
          },
          $unset: { scim_token: true },
        },
        { returnDocument: 'before' },
      ),
    );
    if (release || before.released_by)
      await releaseStranded(call, connection, (released) => audit('domain.update', released), {
        deleting: true,
      });
    await removeConnection(call, connection_id);
    await audit('connection.delete', {
      target: { connection_id },
      organization_id,
      before: auditedConnection(before),
    });
  },
});
