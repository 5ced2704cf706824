import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { peopleOf } from '../../access/people.ts';
import type { Database } from '../../database.ts';
import { listedOwner, organizationPath, refusals, tagged } from '../contract.ts';

const config = { permission: 'view users' } as const;

const schema = {
  ...tagged,
  summary: 'List the Owners of an organization',
  description:
    'The Owners of the organization are Owners in every department. The permission may be held in any department.',
  params: organizationPath,
  response: {
    200: z
      .object({ owners: z.array(listedOwner) })
      .meta({ description: 'The Owners', examples: [{ owners: listedOwner.meta()?.examples }] }),
    ...refusals,
  },
};

/** GET /api/v1/organizations/{organization_id}/owners. */
export const listOwners: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/organizations/:organization_id/owners', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { owners } = found(await db.organizations.findOne({ organization_id }));
    const personOf = await peopleOf(
      db,
      organization_id,
      owners.map(({ user_id }) => user_id),
    );
    return { owners: owners.map((owner) => ({ ...owner, ...personOf(owner.user_id) })) };
  });
};
