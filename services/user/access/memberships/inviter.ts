import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { ACTIVE, findActiveUser } from '@gatehouse/shared/identity/users';
import type { Document } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { roleIn, rolesOf } from '../roles.ts';
import { isLapsed } from './lapse-invitations.ts';

/**
 * Whether the inviter may still grant the role of an invitation: their account can act, and their role suffices. Both
 * are in other documents, so a call that has passed this check when they change counts as one that came just before.
 */
export async function inviterMayGrant(
  db: Database,
  { granted_by, department_id, role }: Pick<Membership, 'granted_by' | 'department_id' | 'role'>,
): Promise<boolean> {
  const [inviter, roles] = await Promise.all([findActiveUser(db.users, granted_by), rolesOf(db, granted_by)]);
  const own = roleIn(roles, department_id);
  return inviter !== null && own !== undefined && grantableBy(own).includes(role);
}

/** Whether a pending invitation still grants something. */
export const isGood = async (db: Database, invitation: Membership): Promise<boolean> =>
  !isLapsed(invitation) && (await inviterMayGrant(db, invitation));

/**
 * The stages that leave out invitations whose inviter may not grant them. Each must be joined with its `organizations`
 * before. Offers pass while the person who made them is an Owner whose account can act.
 */
export function withoutLapsed(db: Database): Document[] {
  const mayGrant = ROLES.map((own) => ({
    $and: [{ $eq: ['$$inviter.role', own] }, { $in: ['$role', grantableBy(own)] }],
  }));
  const grants = {
    $filter: {
      input: '$inviters',
      as: 'inviter',
      cond: { $and: [{ $eq: ['$$inviter.department_id', '$department_id'] }, { $or: mayGrant }] },
    },
  };
  const owners = { $ifNull: [{ $first: '$organizations.owners.user_id' }, []] };
  return [
    {
      $lookup: {
        from: db.memberships.collectionName,
        localField: 'granted_by',
        foreignField: 'user_id',
        as: 'inviters',
      },
    },
    {
      $lookup: {
        from: db.users.collectionName,
        localField: 'granted_by',
        foreignField: 'user_id',
        pipeline: [{ $match: { ...ACTIVE, user_id: ANY_STRING } }, { $project: { _id: 1 } }],
        as: 'able',
      },
    },
    { $match: { able: { $ne: [] } } },
    { $match: { $expr: { $or: [{ $in: ['$granted_by', owners] }, { $ne: [grants, []] }] } } },
  ];
}
