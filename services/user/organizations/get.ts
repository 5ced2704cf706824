import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../database.ts';
import { organizationPath, organizationRecord, refusals, tagged } from './contract.ts';

const config = { permission: 'membership' } as const;

const schema = {
  ...tagged,
  summary: 'Read an organization',
  description: 'An organization in which the caller has no role is 404, as if it did not exist.',
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
