import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { SsoOptions } from '../options.ts';
import { config, connectionPath, operation, refusals } from './contract.ts';
import { ownedConnection } from './owned.ts';
import { connectionRecord, presentConnection } from './record.ts';

const schema = {
  ...operation,
  summary: 'Read a connection',
  description: 'Returns everything but the secrets.',
  params: connectionPath,
  response: { 200: connectionRecord, ...refusals },
};

/** GET /api/v1/sso/connections/{connection_id}. */
export const getConnection: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  app.get('/api/v1/sso/connections/:connection_id', { schema, config }, async (request) =>
    presentConnection(options, await ownedConnection(options.db, request, request.params.connection_id)),
  );
};
