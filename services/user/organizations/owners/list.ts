import { orNotFound } from '@gatehouse/shared/http/errors';
import { oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { peopleOf } from '../../access/people.ts';
import { offerRecord } from '../invitations/contract.ts';
import { operation } from '../operation.ts';
import { listedOwner } from './contract.ts';
import { listedOffers } from './offers.ts';

export const listOwners = operation('GET /api/v1/organizations/{organization_id}/owners', {
  needs: 'view users',
  summary: 'List the Owners of an organization',
  description:
    'The Owners of the organization are Owners in every department. The permission may be held in any department. With `include=offers`, Owners also get the offers to become one.',
  query: z.object({ include: oneOf(['offers']).optional() }),
  returns: z
    .object({ owners: z.array(listedOwner), offers: z.array(offerRecord).exactOptional() })
    .meta({ description: 'The Owners', examples: [{ owners: listedOwner.meta()?.examples }] }),
  async handle({ db, now, caller, params: { organization_id }, query }) {
    const { owners, offers } = orNotFound(await db.organizations.findOne({ organization_id }));
    const personOf = await peopleOf(
      db,
      organization_id,
      owners.map(({ user_id }) => user_id),
    );
    const isOwner = owners.some(({ user_id }) => user_id === caller);
    return {
      owners: owners.map((owner) => ({ ...owner, ...personOf(owner.user_id) })),
      ...(query.include && isOwner && { offers: listedOffers(offers, now()) }),
    };
  },
});
