import { found } from '@gatehouse/shared/http/errors';
import { oneOf } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { peopleOf } from '../../access/people.ts';
import type { Database } from '../../database.ts';
import { listedOwner, offerRecord, organizationPath, refusals, tagged } from '../contract.ts';
import { listedOffers } from './offers.ts';

const config = { permission: 'view users' } as const;

const schema = {
  ...tagged,
  summary: 'List the Owners of an organization',
  description:
    'The Owners of the organization are Owners in every department. The permission may be held in any department. With `include=offers`, Owners also get the offers to become one.',
  params: organizationPath,
  querystring: z.object({ include: oneOf(['offers']).optional() }),
  response: {
    200: z
      .object({ owners: z.array(listedOwner), offers: z.array(offerRecord).exactOptional() })
      .meta({ description: 'The Owners', examples: [{ owners: listedOwner.meta()?.examples }] }),
    ...refusals,
  },
};

/** GET /api/v1/organizations/{organization_id}/owners. */
export const listOwners: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.get('/api/v1/organizations/:organization_id/owners', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { owners, offers } = found(await db.organizations.findOne({ organization_id }));
    const personOf = await peopleOf(
      db,
      organization_id,
      owners.map(({ user_id }) => user_id),
    );
    const isOwner = owners.some(({ user_id }) => user_id === callerId(request));
    return {
      owners: owners.map((owner) => ({ ...owner, ...personOf(owner.user_id) })),
      ...(request.query.include && isOwner && { offers: listedOffers(offers, now()) }),
    };
  });
};
