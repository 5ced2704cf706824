import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { offerRecord, organizationPath, refusals, tagged } from '../contract.ts';
import { listedOffers } from './offers.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'List the offers to become an Owner',
  description:
    'Lists the offers that are pending, declined ones until they would have expired, and expired ones for 30 days.',
  params: organizationPath,
  response: {
    200: z
      .object({ offers: z.array(offerRecord) })
      .meta({ description: 'The offers', examples: [{ offers: offerRecord.meta()?.examples }] }),
    ...refusals,
  },
};

/** GET /api/v1/organizations/{organization_id}/offers. */
export const listOffers: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.get('/api/v1/organizations/:organization_id/offers', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { offers } = found(await db.organizations.findOne({ organization_id }));
    return { offers: listedOffers(offers, now()) };
  });
};
