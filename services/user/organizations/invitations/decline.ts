import { BEARER_FAILURES, failures, found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { tagged } from '../contract.ts';
import { declineOffer } from '../owners/decline-offer.ts';
import { type Invitee, inviteeOf, isInvited } from './invitee.ts';
import { invitationTarget, isPending } from './status.ts';

const DECLINED = { message: 'Invitation declined' } as const;

const config = { permission: 'own' } as const;

const schema = {
  ...tagged,
  summary: 'Decline an invitation',
  description:
    'Declines a pending invitation or offer to the caller. The inviter sees that it was declined until it would have expired, and nothing else about the caller.',
  params: z.object({ invitation_id: z.string() }),
  response: {
    200: messageResponse(DECLINED.message, 'The invitation is declined'),
    ...failures('catalogue', 'invalidFormat', 'notFound', ...BEARER_FAILURES),
  },
};

/** POST /api/v1/invitations/{invitation_id}/decline. */
export const declineInvitation: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.post('/api/v1/invitations/:invitation_id/decline', { schema, config }, async (request) => {
    const { invitation_id } = request.params;
    const invitee = inviteeOf(request);
    const declined =
      (await declineMembership(db, invitation_id, invitee, now())) ??
      (await declineOffer(db, { invitation_id, user_id: invitee.user_id, now: now() }));
    const { role, target, organization_id, department_id } = found(declined);
    await audit(db, request, now(), {
      action: 'invitation.decline',
      target,
      before: { role },
      organization_id,
      department_id,
    });
    return DECLINED;
  });
};

async function declineMembership(db: Database, invitation_id: string, invitee: Invitee, now: number) {
  const declined = await db.memberships.findOneAndUpdate(
    { membership_id: invitation_id, ...isInvited(invitee), ...isPending(now) },
    [
      // Declined ones are listed until they would have expired.
      { $set: { declined_at: new Date(now), expires_at: '$valid_until', adding: '$$REMOVE' } },
    ],
  );
  return declined && { ...declined, target: invitationTarget(declined) };
}
