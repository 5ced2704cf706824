import { found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { organizationPath, refusals, tagged } from '../contract.ts';

const WITHDRAWN = { message: 'Offer withdrawn' } as const;

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Withdraw an offer to become an Owner',
  description: 'Returns 404 for an accepted offer; remove the Owner instead.',
  params: organizationPath.extend({ invitation_id: organizationPath.shape.organization_id }),
  response: { 200: messageResponse(WITHDRAWN.message, 'The offer is withdrawn'), ...refusals },
};

/** DELETE /api/v1/organizations/{organization_id}/offers/{invitation_id}. */
export const withdrawOffer: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.delete(
    '/api/v1/organizations/:organization_id/offers/:invitation_id',
    { schema, config },
    async (request) => {
      const { organization_id, invitation_id } = request.params;
      const { offers = [] } = found(
        await db.organizations.findOneAndUpdate(
          {
            organization_id,
            'owners.user_id': membershipOf(request).caller,
            'offers.invitation_id': invitation_id,
          },
          { $pull: { offers: { invitation_id } } },
          { returnDocument: 'before' },
        ),
      );
      const { user_id } = found(offers.find((offer) => offer.invitation_id === invitation_id));
      await audit(db, request, now(), {
        action: 'invitation.withdraw',
        target: { user_id, invitation_id },
        before: { role: 'Owner' },
        organization_id,
      });
      return WITHDRAWN;
    },
  );
};
