import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { auditAll } from '@gatehouse/shared/identity/audit';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { endOrganizationOwner } from '../../access/memberships/end-organization-owner.ts';
import type { Database } from '../../database.ts';
import type { acceptedInvitation } from '../invitations/contract.ts';
import { refuseArchivedPlace } from '../invitations/place.ts';
import { MAX_OWNERS, type Offer } from '../records.ts';
import { isOpen } from './offers.ts';

/**
 * Makes the caller an Owner by an open offer to them. If it is a transfer, whoever made it stops being one in the same
 * write.
 * @throws {AppError} notFound if there is no such offer, or the account of whoever made it cannot act; duplicate if the caller is an Owner already; forbidden if the
 * organization has too many.
 */
export async function acceptOffer(
  { db, now }: { db: Database; now: () => number },
  request: FastifyRequest,
  { invitation_id, user_id }: Pick<Offer, 'invitation_id' | 'user_id'>,
): Promise<z.infer<typeof acceptedInvitation>> {
  const mine = { offers: { $elemMatch: { invitation_id, user_id, ...isOpen(now()) } } };
  const { organization_id, offers = [] } = orNotFound(await db.organizations.findOne(mine));
  await refuseArchivedPlace(db, { organization_id });
  const offer = orNotFound(offers.find((each) => each.invitation_id === invitation_id));
  orNotFound(await findActiveUser(db.users, offer.granted_by));
  const write = () => becomeOwner(db, organization_id, offer, now());
  const isAccepted = offer.transfer
    ? await endOrganizationOwner(db, { organization_id, user_id: offer.granted_by }, now(), write)
    : await write();
  if (!isAccepted) {
    const { owners } = orNotFound(await db.organizations.findOne({ organization_id, ...mine }));
    const isOwner = (id: string) => owners.some((each) => each.user_id === id);
    if (isOwner(user_id)) throw new AppError('duplicate', { text: 'You are an Owner already' });
    if (isOwner(offer.granted_by) && owners.length >= MAX_OWNERS) {
      throw new AppError('forbidden', { text: `An organization has at most ${MAX_OWNERS} Owners` });
    }
    throw new AppError('notFound'); // whoever made the offer is no longer an Owner
  }
  const role = 'Owner' as const;
  await auditAll(db, request, now(), [
    { action: 'invitation.accept', target: { user_id, invitation_id }, after: { role }, organization_id },
    { action: 'owner.add', target: { user_id, invitation_id }, after: { role }, organization_id },
    ...(offer.transfer
      ? [
          {
            action: 'owner.remove' as const,
            target: { user_id: offer.granted_by, invitation_id },
            before: { role },
            organization_id,
          },
        ]
      : []),
  ]);
  return { invitation_id, organization_id, department_id: null, role };
}

/** @returns whether the offer stood, unchanged, and whoever made it was still an Owner. */
async function becomeOwner(
  db: Database,
  organization_id: string,
  { invitation_id, user_id, transfer, granted_by }: Offer,
  now: number,
): Promise<boolean> {
  const owner = { user_id, granted_by, granted_at: new Date(now).toISOString() };
  const isOther = { $ne: ['$$this.user_id', { $literal: granted_by }] };
  const isOtherOffer = { $ne: ['$$this.invitation_id', { $literal: invitation_id }] };
  // The other offers of an Owner who steps down end with the role.
  const isOfOther = { $ne: ['$$this.granted_by', { $literal: granted_by }] };
  const others = { $filter: { input: '$owners', cond: isOther } };
  const cond = transfer ? { $and: [isOtherOffer, isOfOther] } : isOtherOffer;
  const { matchedCount } = await db.organizations.updateOne(
    {
      organization_id,
      offers: { $elemMatch: { invitation_id, user_id, transfer, granted_by, ...isOpen(now) } },
      $and: [{ 'owners.user_id': granted_by }, { 'owners.user_id': { $ne: user_id } }],
      ...(!transfer && { [`owners.${MAX_OWNERS - 1}`]: { $exists: false } }),
    },
    [
      {
        $set: {
          owners: { $concatArrays: [transfer ? others : '$owners', [{ $literal: owner }]] },
          offers: { $filter: { input: '$offers', cond } },
        },
      },
    ],
  );
  return matchedCount === 1;
}
