import { parseJson } from '@gatehouse/shared/http/json';
import type { FastifyInstance } from 'fastify';
import { requireScimToken } from './bearer.ts';
import { bulk } from './bulk.ts';
import { config } from './contract.ts';
import { discovery } from './discovery.ts';
import { notFound } from './errors.ts';
import type { ScimOptions } from './options.ts';
import { resources } from './resources.ts';
import { settleAll } from './users/settle-account.ts';

/** SCIM 2.0 (RFC 7643, 7644): providers create, change and deactivate the people of an organization. */
export async function scim(app: FastifyInstance, options: ScimOptions): Promise<void> {
  await app.register(async (scope) => {
    parseJson(scope, 'application/scim+json');
    await scope.register(requireScimToken, options);
    await scope.register(discovery, options);
    await scope.register(resources, options);
    await scope.register(bulk, options);
    scope.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: '/scim/v2/*',
      schema: { hide: true },
      config,
      handler: () => {
        throw notFound();
      },
    });
  });
  app.addHook('onReady', () => settleAll(options));
}
