import { randomUUID } from 'node:crypto';
import type { Role } from '@gatehouse/shared/access/rbac';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { join } from './join.ts';
import { storeInvitation } from './store-invitation.ts';

export interface Addition {
  organization_id: string;
  department_id: string;
  user_id: string;
  role: Role;
  grantable: readonly Role[];
  granted_by: string;
  /** Unix milliseconds. */
  now: number;
}

/**
 * Adds a user who has a role in another department of the organization. The roles are in several documents, so the user
 * is invited first, with a mark; then the other role is looked for; then the marked invitation becomes the membership.
 * A removal takes the mark off when the role is gone (`endAdditions`), and a departure when it begins: a user who has
 * left must not be added back without consent. An interrupted call leaves an invitation.
 * @throws {AppError} forbidden if the department is full.
 * @returns null if the user has no role, or has one in this department, or is invited to one above the inviter's.
 */
export async function addFromWithin(
  db: Database,
  { organization_id, department_id, user_id, grantable, now, ...terms }: Addition,
): Promise<Membership | null> {
  const inAny = { organization_id, user_id };
  const elsewhere = { ...inAny, department_id: { $ne: department_id } };
  const invited = { organization_id, department_id, invitee: { invited_id: user_id } };
  return optimistic(async () => {
    const departments = await db.memberships.distinct('department_id', inAny);
    if (departments.length === 0 || departments.includes(department_id)) return null;
    const invitation = await storeInvitation(db, invited, { ...terms, grantable, now, adding: randomUUID() });
    if (!invitation?.adding || !(await db.memberships.findOne(elsewhere))) return null;
    if (await db.departures.findOne({ ...inAny, by: { $exists: true } })) return null;
    const { adding } = invitation;
    const granted = { ...terms, granted_at: new Date(now).toISOString() };
    try {
      const joined = await join(db, invitation, user_id, { now, condition: { adding } }, granted);
      if (joined) return joined;
    } finally {
      // Another call has added the user, they have just lost a role, or the department is full.
      await db.memberships.deleteOne({ _id: invitation._id, adding });
    }
  });
}

/** Keeps additions that are under way from adding a user who loses a role. */
export const endAdditions = (
  db: Database,
  { organization_id, user_id }: { organization_id: string; user_id: string },
) =>
  db.memberships.updateMany(
    { organization_id, invited_id: user_id, adding: ANY_STRING },
    { $unset: { adding: true } },
  );
