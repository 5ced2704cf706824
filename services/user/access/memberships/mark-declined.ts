import type { Database } from '../../database.ts';
import { type Invitee, isInvited } from './invitee.ts';
import { isPending } from './states.ts';

/** Declines a pending invitation. Lists show it until its expiry date. @returns null if there is none. */
export const markDeclined = (db: Database, membership_id: string, invitee: Invitee, now: number) =>
  db.memberships.findOneAndUpdate({ membership_id, ...isInvited(invitee), ...isPending(now) }, [
    { $set: { declined_at: new Date(now), expires_at: '$valid_until', adding: '$$REMOVE' } },
  ]);
