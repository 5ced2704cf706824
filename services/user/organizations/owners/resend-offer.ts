import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import { membershipOf } from '../../access/membership.ts';
import { VALID_DAYS, validity } from '../../access/memberships/states.ts';
import { spendInvitation } from '../invitations/budget.ts';
import { offerRecord } from '../invitations/contract.ts';
import { mailOfferLater } from '../invitations/mail.ts';
import { operation } from '../operation.ts';
import { isListed, presentOffer, withOffer } from './offers.ts';

export const resendOffer = operation(
  'POST /api/v1/organizations/{organization_id}/offers/{invitation_id}/resend',
  {
    needs: 'ownership',
    supportSession: 'refused',
    summary: 'Send an offer to become an Owner again',
    description: `Mails a pending or expired offer again, which is then valid for another ${VALID_DAYS} days. A declined one is 409; make a new offer instead.`,
    returns: offerRecord,
    fails: ['duplicate'],
    audits: ['invitation.resend'],
    async handle(call) {
      const { db, now, audit, params, request } = call;
      const { organization_id, invitation_id } = params;
      const { caller } = membershipOf(request);
      const { offers = [] } = orNotFound(await db.organizations.findOne({ organization_id }));
      const isIt = (each: { invitation_id: string }) => each.invitation_id === invitation_id;
      const offered = orNotFound(offers.find((each) => isIt(each) && isListed(each, now())));
      const { user_id, transfer, granted_by } = offered;
      await spendInvitation(db, request, { organization_id, inviter: caller, recipient: { user_id } }, now());
      // Only its Owner renews a transfer. For another offer, the caller replaces an Owner who cannot act.
      const isAble = transfer || (await findActiveUser(db.users, granted_by));
      const fields = {
        expires_at: validity(now()).valid_until,
        ...(!isAble && { granted_by: { $literal: caller } }),
      };
      const renewed = await db.organizations.findOneAndUpdate(
        {
          organization_id,
          'owners.user_id': caller,
          offers: { $elemMatch: { invitation_id, declined_at: { $exists: false } } },
        },
        [{ $set: { offers: withOffer(invitation_id, fields) } }],
        { returnDocument: 'after' },
      );
      if (!renewed) {
        const isLeft = await db.organizations.findOne({
          organization_id,
          'offers.invitation_id': invitation_id,
        });
        if (!isLeft) throw new AppError('notFound');
        throw new AppError('duplicate', { text: 'The offer was declined' });
      }
      const offer = orNotFound(renewed.offers?.find(isIt));
      await audit('invitation.resend', { target: { user_id, invitation_id }, after: { role: 'Owner' } });
      mailOfferLater(call, request, { organization_id, offer });
      return presentOffer(offer, now());
    },
  },
);
