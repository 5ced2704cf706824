import { endSelfGrants, newRevocation } from '../../access/end-self-grants.ts';
import { revokeGrants } from '../../access/revoke-grants.ts';
import { rolesOf } from '../../access/roles.ts';
import type { Database } from '../../database.ts';

/**
 * Ends the role of an Owner of an organization, and the grants that depended on it.
 * @param end the write that ends it; returns whether it did.
 */
export async function endOwnership(
  db: Database,
  { organization_id, user_id }: { organization_id: string; user_id: string },
  end: () => Promise<boolean>,
): Promise<boolean> {
  const memberships = { organization_id, user_id };
  await db.memberships.updateMany(memberships, { $set: newRevocation() });
  const isEnded = await end();
  await endSelfGrants(db, memberships);
  if (isEnded) await revokeWhereNotMember(db, organization_id, user_id);
  return isEnded;
}

/** Revokes the former Owner's grants in departments where they are not a member. */
async function revokeWhereNotMember(db: Database, organization_id: string, user_id: string): Promise<void> {
  const [departments, { departments: remaining }] = await Promise.all([
    db.departments.find({ organization_id }, { projection: { department_id: 1 } }).toArray(),
    rolesOf(db, user_id),
  ]);
  const kept = new Set(remaining.map(({ department_id }) => department_id));
  const $in = departments.map(({ department_id }) => department_id).filter((id) => !kept.has(id));
  await revokeGrants(db, { organization_id, department_id: { $in } }, user_id);
}
