import { randomUUIDv7 } from 'node:crypto';
import type { Role } from '@gatehouse/shared/access/rbac';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { isInvitation, validity } from './states.ts';

/** An invitation to a department, by address or by user_id. */
interface Invited {
  organization_id: string;
  department_id: string;
  invitee: { email: string } | { invited_id: string };
}

interface Terms {
  role: Role;
  /** The roles that the inviter may grant, and so replace. */
  grantable: readonly Role[];
  granted_by: string;
  /** Unix milliseconds. */
  now: number;
  /** A mark, unless the invitation has one already; see add-from-within.ts. */
  adding?: string;
}

/**
 * Stores an invitation, or renews one that is no longer pending or is to a role that the inviter may grant. The account
 * is not looked up, so the call tells nothing about it.
 * @returns null if the invitee is a member already or is invited to a role above the inviter's.
 */
export async function storeInvitation(
  db: Database,
  { organization_id, department_id, invitee }: Invited,
  { role, grantable, granted_by, now, adding }: Terms,
): Promise<WithId<Membership> | null> {
  const replaceable = [
    { role: { $in: [...grantable] } },
    { valid_until: { $lte: new Date(now) } },
    { declined_at: { $exists: true } },
  ];
  const granted_at = new Date(now).toISOString();
  const write = (upsert: boolean) =>
    db.memberships.findOneAndUpdate(
      { organization_id, department_id, ...invitee, ...isInvitation, $or: replaceable },
      [
        {
          $set: {
            role,
            granted_by: { $literal: granted_by },
            granted_at,
            ...validity(now),
            membership_id: { $ifNull: ['$membership_id', randomUUIDv7()] },
            declined_at: '$$REMOVE',
            lapsed: '$$REMOVE',
            adding: adding ? { $ifNull: ['$adding', adding] } : '$$REMOVE',
          },
        },
      ],
      { upsert, returnDocument: 'after' },
    );
  try {
    return await write(true);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return write(false); // a concurrent call has created the invitation
  }
}
