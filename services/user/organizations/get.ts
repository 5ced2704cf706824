import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../database.ts';
import { organizationPath, organizationRecord, refused, tagged } from './contract.ts';

const config = { permission: 'membership' } as const;

const schema = {
  ...tagged,
  summary: 'Read an organization',
  description: 'One in which the caller has no role is answered like one that does not exist.',
  params: organizationPath,
  response: { 200: organizationRecord, ...refused },
};

/** GET /api/v1/organizations/{organization_id}. */
export const getOrganization: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/organizations/:organization_id', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    return found(await db.organizations.findOne({ organization_id }));
  });
};
