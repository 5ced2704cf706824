import type { FastifyInstance } from 'fastify';
import { notFound, readOnly, renderScimFailure } from './errors.ts';

/** The documents that describe the service, all read-only. */
const DOCUMENTS = ['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/:id', 'Schemas', 'Schemas/:id'];

/** Answers calls below /scim/v2 that no operation takes, in SCIM's own shape. */
export async function otherPaths(scope: FastifyInstance): Promise<void> {
  const hidden = { schema: { hide: true }, config: { public: true, renderFailure: renderScimFailure } };
  for (const path of DOCUMENTS)
    scope.route({
      ...hidden,
      method: ['POST', 'PUT', 'PATCH', 'DELETE'],
      url: `/scim/v2/${path}`,
      handler: () => {
        throw readOnly();
      },
    });
  scope.route({
    ...hidden,
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/scim/v2/*',
    handler: () => {
      throw notFound();
    },
  });
}
