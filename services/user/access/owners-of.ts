import type { AdministeredTenant } from '@gatehouse/webhooks/host';
import type { Database } from '../database.ts';

/** Returns the accounts of at most `limit` Owners of an organization and, if it is named, of its department. */
export async function ownersOf(
  db: Database,
  { organization_id, department_id }: AdministeredTenant,
  limit: number,
): Promise<string[]> {
  const [organization, members] = await Promise.all([
    db.organizations.findOne({ organization_id }, { projection: { owners: 1 } }),
    department_id === null
      ? []
      : db.memberships
          .find({ department_id, role: 'Owner', user_id: { $gt: '' } }, { projection: { user_id: 1 } })
          .limit(limit)
          .toArray(),
  ]);
  const owners = [...(organization?.owners ?? []), ...members].map(({ user_id }) => user_id as string);
  return [...new Set(owners)].slice(0, limit);
}
