import type { z } from 'zod';
import { listedUntil } from '../../access/memberships/states.ts';
import type { offerRecord } from '../invitations/contract.ts';
import type { Offer } from '../records.ts';

/** Offers live in the document of the organization, so their number is bounded. */
export const MAX_PENDING = 20;
/** Declined and expired offers that are kept. */
const MAX_CLOSED = 20;

/** Matches an offer that can be accepted. @param now Unix milliseconds. */
export const isOpen = (now: number) => ({
  declined_at: { $exists: false },
  expires_at: { $gt: new Date(now) },
});

export const isPending = ({ declined_at, expires_at }: Offer, now: number): boolean =>
  declined_at === undefined && expires_at.getTime() > now;

/** Whether an offer is pending, or has been declined or has expired not long ago. */
export const isListed = (offer: Offer, now: number): boolean =>
  (offer.declined_at ? offer.expires_at : listedUntil(offer.expires_at)).getTime() > now;

export const presentOffer = (
  { invitation_id, user_id, transfer, granted_by, granted_at, expires_at, declined_at }: Offer,
  now: number,
): z.infer<typeof offerRecord> => ({
  invitation_id,
  user_id,
  role: 'Owner',
  transfer,
  status: declined_at ? 'declined' : expires_at.getTime() > now ? 'pending' : 'expired',
  granted_by,
  granted_at,
  expires_at: expires_at.toISOString(),
});

/** The offers of an organization as its Owners see them. */
export const listedOffers = (offers: readonly Offer[] = [], now: number) =>
  offers.filter((offer) => isListed(offer, now)).map((offer) => presentOffer(offer, now));

/** The offers that are kept when another one is made to `user_id`; null if too many are pending. */
export function otherOffers(offers: readonly Offer[], user_id: string, now: number): Offer[] | null {
  const others = offers.filter((offer) => offer.user_id !== user_id && isListed(offer, now));
  const pending = others.filter((offer) => isPending(offer, now));
  if (pending.length >= MAX_PENDING) return null;
  const closed = others.filter((offer) => !isPending(offer, now)).slice(-MAX_CLOSED);
  return others.filter((offer) => pending.includes(offer) || closed.includes(offer));
}

/** An expression for the offers of a document, with one offer changed. */
export const withOffer = (invitation_id: string, fields: Partial<Record<keyof Offer, unknown>>) => ({
  $map: {
    input: '$offers',
    in: {
      $cond: [
        { $eq: ['$$this.invitation_id', { $literal: invitation_id }] },
        { $mergeObjects: ['$$this', fields] },
        '$$this',
      ],
    },
  },
});
