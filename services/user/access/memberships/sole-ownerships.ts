import { ACTIVE, type User } from '@gatehouse/shared/identity/users';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import { otherOwners } from './last-owner.ts';

/** The places that would have no Owner who can act without one user. */
export interface SoleOwnerships {
  organizations: { organization_id: string; name: string }[];
  departments: { organization_id: string; department_id: string; name: string }[];
}

/** Bounds the names that are read and shown. */
const MAX_PLACES = 100;

/**
 * Reads the organizations and departments that would have no Owner who can act without a user. Archived ones need none.
 * An Owner of an organization leads its departments too.
 * @param standing which of the other accounts count.
 */
export async function soleOwnerships(
  db: Database,
  user_id: string,
  standing: Filter<User> = ACTIVE,
): Promise<SoleOwnerships> {
  const [owned, memberships] = await Promise.all([
    db.organizations.find({ 'owners.user_id': user_id, archived_at: { $exists: false } }).toArray(),
    db.memberships.find({ user_id, role: 'Owner' }).toArray(),
  ]);
  const ids = memberships.map(({ department_id }) => department_id);
  const [organizations, departments, others] = await Promise.all([
    db.organizations
      .find({ organization_id: { $in: memberships.map(({ organization_id }) => organization_id) } })
      .toArray(),
    db.departments.find({ department_id: { $in: ids }, archived_at: { $exists: false } }).toArray(),
    db.memberships
      .find({
        department_id: { $in: ids },
        role: 'Owner',
        user_id: { $gt: '', $ne: user_id },
        leaving: { $exists: false },
      })
      .toArray(),
  ]);
  const ownersOf = new Map(organizations.map((organization) => [organization.organization_id, organization]));
  const candidates = [
    ...owned.flatMap((organization) => otherOwners(organization, user_id)),
    ...organizations.flatMap((organization) => otherOwners(organization, user_id)),
    ...others.map((member) => String(member.user_id)),
  ];
  const able = new Set(
    candidates.length === 0
      ? []
      : await db.users.distinct('user_id', { user_id: { $in: [...new Set(candidates)] }, ...standing }),
  );
  const isLed = (owners: readonly string[]) => owners.some((id) => able.has(id));
  return {
    organizations: owned
      .filter((organization) => !isLed(otherOwners(organization, user_id)))
      .slice(0, MAX_PLACES)
      .map(({ organization_id, name }) => ({ organization_id, name })),
    departments: departments
      .filter(({ organization_id, department_id }) => {
        const organization = ownersOf.get(organization_id);
        if (!organization || organization.archived_at !== undefined) return false;
        // Handing over or archiving the organization settles its departments.
        if (organization.owners.some((owner) => owner.user_id === user_id)) return false;
        const members = others.filter((member) => member.department_id === department_id);
        return !isLed([
          ...otherOwners(organization, user_id),
          ...members.map((member) => String(member.user_id)),
        ]);
      })
      .slice(0, MAX_PLACES)
      .map(({ organization_id, department_id, name }) => ({ organization_id, department_id, name })),
  };
}

export const isSoleOwner = ({ organizations, departments }: SoleOwnerships): boolean =>
  organizations.length > 0 || departments.length > 0;
