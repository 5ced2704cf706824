import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { revokeGrants } from '../../access/revoke-grants.ts';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';

/** Adds a member. @returns null if the user is one already. */
export async function addMember(
  db: Database,
  member: Membership & { user_id: string },
): Promise<Membership | null> {
  const { organization_id, department_id, user_id } = member;
  if (await db.memberships.findOne({ department_id, user_id })) return null;
  await revokeGrants(db, { organization_id, department_id }, user_id);
  try {
    await db.memberships.insertOne({ ...member });
    return member;
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}
