import { randomUUIDv7 } from 'node:crypto';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { membershipOf } from '../../access/membership.ts';
import { isUserId } from '../../access/memberships/invitee.ts';
import { VALID_DAYS, validity } from '../../access/memberships/states.ts';
import type { Database } from '../../database.ts';
import { spendInvitation } from '../invitations/budget.ts';
import { offerRecord } from '../invitations/contract.ts';
import { mailOfferLater } from '../invitations/mail.ts';
import { operation } from '../operation.ts';
import { MAX_OWNERS, type Offer, type Organization } from '../records.ts';
import { ownerRecord } from './contract.ts';
import { MAX_PENDING, otherOffers, presentOffer } from './offers.ts';

export const offerOwnership = operation('PUT /api/v1/organizations/{organization_id}/owners/{user_id}', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Offer ownership to a user, or transfer your own',
  description: `Returns 200 and the Owner, unchanged, if the user is one already, also with \`transfer\`; the caller stays an Owner then. Otherwise it makes or renews an offer and returns 202, whether an account has this user_id or not; the user becomes an Owner by accepting it. With \`transfer\` the caller stops being an Owner in the same step. An offer expires after ${VALID_DAYS} days. An organization has at most ${MAX_OWNERS} Owners and ${MAX_PENDING} pending offers.`,
  body: jsonBody({ transfer: z.boolean(expecting('must be a boolean')).exactOptional() })
    .nullable()
    .meta({ examples: [{}, { transfer: true }] }),
  returns: { 200: ownerRecord, 202: offerRecord },
  audits: ['invitation.create'],
  async handle(call) {
    const { db, now, audit, params, body, request, reply } = call;
    const { organization_id, user_id } = params;
    const transfer = body?.transfer ?? false;
    const { caller } = membershipOf(request);
    const { owners } = orNotFound(await db.organizations.findOne({ organization_id }));
    const owner = owners.find((each) => each.user_id === user_id);
    // Also with `transfer`: nothing is left to offer.
    if (owner) return owner;
    if (!isUserId(user_id)) throw new AppError('userNotFound');
    await spendInvitation(db, request, { organization_id, inviter: caller, recipient: { user_id } }, now());
    const terms = { user_id, transfer, granted_by: caller };
    const { offer, owner: became } = await storeOffer(db, organization_id, terms, now());
    if (became) return became;
    await audit('invitation.create', {
      target: { user_id, invitation_id: offer.invitation_id },
      after: { role: 'Owner' },
    });
    mailOfferLater(call, request, { organization_id, offer });
    return reply.code(202).send(presentOffer(offer, now()));
  },
});

/**
 * Makes an offer, or renews the one to the same user. Optimistic concurrency: one write wins, the others are decided
 * again.
 * @returns the offer, or the Owner that the user has become by a concurrent call.
 * @throws {AppError} forbidden if the caller is no longer an Owner or too many offers are pending.
 */
async function storeOffer(
  db: Database,
  organization_id: string,
  { user_id, ...terms }: Pick<Offer, 'user_id' | 'transfer' | 'granted_by'>,
  now: number,
): Promise<{ offer: Offer; owner?: never } | { offer?: never; owner: Organization['owners'][number] }> {
  return optimistic(async () => {
    const { offers }: Organization = orNotFound(await db.organizations.findOne({ organization_id }));
    const others = otherOffers(offers ?? [], user_id, now);
    if (!others) {
      throw new AppError('forbidden', { text: `An organization has at most ${MAX_PENDING} pending offers` });
    }
    const offer: Offer = {
      invitation_id: offers?.find((each) => each.user_id === user_id)?.invitation_id ?? randomUUIDv7(),
      user_id,
      ...terms,
      granted_at: new Date(now).toISOString(),
      expires_at: validity(now).valid_until,
    };
    const { matchedCount } = await db.organizations.updateOne(
      {
        organization_id,
        $and: [{ 'owners.user_id': terms.granted_by }, { 'owners.user_id': { $ne: user_id } }],
        offers: offers ?? { $exists: false },
      },
      { $set: { offers: [...others, offer] } },
    );
    if (matchedCount === 1) return { offer };
    const { owners } = orNotFound(await db.organizations.findOne({ organization_id }));
    const ownerOf = (id: string) => owners.find((each) => each.user_id === id);
    if (!ownerOf(terms.granted_by)) throw new AppError('forbidden');
    const owner = ownerOf(user_id);
    if (owner) return { owner };
  });
}
