import { found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { digest, randomToken } from '../login/flow.ts';
import type { SsoOptions } from '../options.ts';
import { addressesOf } from './addresses.ts';
import { config, connectionPath, operation, refusals } from './contract.ts';
import { ownedConnection, requirePlan } from './owned.ts';

const REVOKED = { message: 'SCIM token revoked' } as const;

const issue = {
  ...operation,
  summary: 'Issue a SCIM token',
  description:
    'Returns a new bearer for provisioning with SCIM 2.0, which only this response shows. The previous token stops working at once.',
  params: connectionPath,
  response: {
    201: z.object({ token: z.string(), scim_base_url: z.string() }).meta({
      description: 'The token is issued',
      examples: [
        {
          token: 'scim_C2FVsBQIhrscChlQIMV-b5sSYspob7oDq3cXbVn0uYE',
          scim_base_url: 'https://accounts.example.com/scim/v2',
        },
      ],
    }),
    ...refusals,
  },
};

const revoke = {
  ...operation,
  summary: 'Revoke the SCIM token',
  description: 'The token stops working at once. Also possible without the plan.',
  params: connectionPath,
  response: { 200: messageResponse(REVOKED.message, 'The token is revoked, if there was one'), ...refusals },
};

/** POST and DELETE /api/v1/sso/connections/{connection_id}/scim-token. */
export const scimToken: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const { db, now } = options;
  const url = '/api/v1/sso/connections/:connection_id/scim-token';

  app.post(url, { schema: issue, config }, async (request, reply) => {
    const connection = await ownedConnection(db, request, request.params.connection_id);
    const { connection_id, organization_id } = connection;
    await requirePlan(options, organization_id);
    const token = `scim_${randomToken()}`;
    const before = found(
      await db.ssoConnections.findOneAndUpdate(
        { connection_id, deleted_at: { $exists: false } },
        { $set: { scim_token: digest(token), updated_at: new Date(now()) } },
        { returnDocument: 'before' },
      ),
    );
    await audit(db, request, now(), {
      action: 'connection.update',
      target: { connection_id },
      organization_id,
      before: { scim_token: stateOf(before) },
      after: { scim_token: 'issued' },
    });
    // Keeps the gateway from storing the response for an Idempotency-Key.
    reply.header('cache-control', 'no-store');
    const { scim_base_url } = addressesOf(options, connection);
    return reply.code(201).send({ token, scim_base_url });
  });

  app.delete(url, { schema: revoke, config }, async (request) => {
    const { connection_id, organization_id } = await ownedConnection(
      db,
      request,
      request.params.connection_id,
    );
    const before = found(
      await db.ssoConnections.findOneAndUpdate(
        { connection_id },
        { $set: { updated_at: new Date(now()) }, $unset: { scim_token: true } },
        { returnDocument: 'before' },
      ),
    );
    await audit(db, request, now(), {
      action: 'connection.update',
      target: { connection_id },
      organization_id,
      before: { scim_token: stateOf(before) },
      after: { scim_token: 'none' },
    });
    return REVOKED;
  });
};

const stateOf = ({ scim_token }: { scim_token?: string }) => (scim_token === undefined ? 'none' : 'issued');
