import { orNotFound } from '@gatehouse/shared/http/errors';
import { z } from 'zod';
import { offerRecord } from '../invitations/contract.ts';
import { operation } from '../operation.ts';
import { listedOffers } from './offers.ts';

export const listOffers = operation('GET /api/v1/organizations/{organization_id}/offers', {
  needs: 'ownership',
  summary: 'List the offers to become an Owner',
  description:
    'Lists the offers that are pending, declined ones until they would have expired, and expired ones for 30 days.',
  returns: z
    .object({ offers: z.array(offerRecord) })
    .meta({ description: 'The offers', examples: [{ offers: offerRecord.meta()?.examples }] }),
  async handle({ db, now, params: { organization_id } }) {
    const { offers } = orNotFound(await db.organizations.findOne({ organization_id }));
    return { offers: listedOffers(offers, now()) };
  },
});
