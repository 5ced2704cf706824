import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { membershipOf } from '../../access/membership.ts';
import { operation } from '../operation.ts';

export const withdrawOffer = operation(
  'DELETE /api/v1/organizations/{organization_id}/offers/{invitation_id}',
  {
    needs: 'ownership',
    supportSession: 'refused',
    summary: 'Withdraw an offer to become an Owner',
    description: 'Returns 404 for an accepted offer; remove the Owner instead.',
    returns: message('Offer withdrawn', 'The offer is withdrawn'),
    audits: ['invitation.withdraw'],
    async handle({ db, audit, params: { organization_id, invitation_id }, request }) {
      const { offers = [] } = orNotFound(
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
      const { user_id } = orNotFound(offers.find((offer) => offer.invitation_id === invitation_id));
      await audit('invitation.withdraw', { target: { user_id, invitation_id }, before: { role: 'Owner' } });
    },
  },
);
