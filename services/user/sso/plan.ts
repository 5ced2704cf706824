import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { Database } from '../database.ts';
import type { Organization } from '../organizations/records.ts';

/**
 * Whether an organization has single sign-on: one of its departments has a paid Enterprise plan, or one of its
 * Owners who can act has it as their own (CONTRACT.md §Single sign-on).
 */
export async function hasSsoPlan(db: Database, organization_id: string): Promise<boolean> {
  const paidDepartment = {
    organization_id,
    'billing.subscription_plan': 'Enterprise',
    'billing.payment_status': 'paid',
  };
  // Every login asks, so both collections are read in one round trip.
  const found = await db.departments
    .aggregate<Partial<Pick<Organization, 'owners'>>>([
      { $match: paidDepartment },
      { $limit: 1 },
      { $project: { _id: 1 } },
      {
        $unionWith: {
          coll: db.organizations.collectionName,
          pipeline: [{ $match: { organization_id } }, { $project: { owners: 1 } }],
        },
      },
    ])
    .toArray();
  if (found.some(({ owners }) => owners === undefined)) return true;
  const owners = found.flatMap(({ owners = [] }) => owners.map(({ user_id }) => user_id));
  const owner = { user_id: { $in: owners }, subscription_plan: 'Enterprise', ...ACTIVE };
  return (await db.users.findOne(owner, { projection: { _id: 1 } })) !== null;
}
