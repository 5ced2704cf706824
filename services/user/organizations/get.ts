import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../database.ts';
import { organizationPath, organizationRecord, refusals, tagged } from './contract.ts';

const config = { permission: 'membership' } as const;

const schema = {
  ...tagged,
  summary: 'Read an organization',
  description: 'Returns 404 if the organization does not exist or the caller has no role in it.',
  params: organizationPath,
  response: { 200: organizationRecord, ...refusals },
};

/** GET /api/v1/organizations/{organization_id}. */
export const getOrganization: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/organizations/:organization_id', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    return found(await db.organizations.findOne({ organization_id }));
  });
};
