import { endWithGrants } from '../../access/end-grants.ts';
import { endSelfGrants, newRevocation } from '../../access/end-self-grants.ts';
import type { Database } from '../../database.ts';

/**
 * Ends the role of an Owner of an organization, and the grants that depended on it: above their role where they are a
 * member, and all of them elsewhere.
 * @param now Unix milliseconds.
 * @param end the write that ends it; returns whether it did.
 */
export function endOrganizationOwner(
  db: Database,
  owner: { organization_id: string; user_id: string },
  now: number,
  end: () => Promise<boolean>,
): Promise<boolean> {
  return endWithGrants(db, owner, now, async () => {
    await db.memberships.updateMany(owner, { $set: newRevocation() });
    const isEnded = await end();
    await endSelfGrants(db, owner);
    return isEnded;
  });
}
