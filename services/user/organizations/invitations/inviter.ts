import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import type { Document } from 'mongodb';
import { roleIn, rolesOf } from '../../access/roles.ts';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';

/**
 * Whether the inviter may still grant the role of an invitation; otherwise it has lapsed. Their role is in another
 * document, so a call that has passed this check when they lose it counts as one that came just before.
 */
export async function inviterMayGrant(
  db: Database,
  { granted_by, department_id, role }: Pick<Membership, 'granted_by' | 'department_id' | 'role'>,
): Promise<boolean> {
  const own = roleIn(await rolesOf(db, granted_by), department_id);
  return own !== undefined && grantableBy(own).includes(role);
}

/**
 * The stages that leave out invitations that have lapsed. Each must be joined with its `organizations` before. Offers
 * pass while the person who made them is an Owner.
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
    { $match: { $expr: { $or: [{ $in: ['$granted_by', owners] }, { $ne: [grants, []] }] } } },
  ];
}
