import type { Database } from '../../database.ts';
import { isOpen, withOffer } from './offers.ts';

/** Declines an open offer to become an Owner. @returns null if there is none. */
export async function declineOffer(
  db: Database,
  { invitation_id, user_id, now }: { invitation_id: string; user_id: string; now: number },
) {
  const declined = await db.organizations.findOneAndUpdate(
    { offers: { $elemMatch: { invitation_id, user_id, ...isOpen(now) } } },
    [{ $set: { offers: withOffer(invitation_id, { declined_at: new Date(now) }) } }],
  );
  return (
    declined && {
      organization_id: declined.organization_id,
      department_id: null,
      role: 'Owner' as const,
      target: { user_id, invitation_id },
    }
  );
}
