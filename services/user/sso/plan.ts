import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { Database } from '../database.ts';

/**
 * Whether an organization has single sign-on: one of its departments has a paid Enterprise plan, or one of its
 * Owners who can act has it as their own (CONTRACT.md §Single sign-on).
 */
export async function hasSsoPlan(db: Database, organization_id: string): Promise<boolean> {
  const [department, organization] = await Promise.all([
    db.departments.findOne(
      {
        organization_id,
        'billing.subscription_plan': 'Enterprise',
        'billing.payment_status': 'paid',
      },
      { projection: { _id: 1 } },
    ),
    db.organizations.findOne({ organization_id }, { projection: { owners: 1 } }),
  ]);
  if (department) return true;
  const owners = organization?.owners.map(({ user_id }) => user_id) ?? [];
  const owner = { user_id: { $in: owners }, subscription_plan: 'Enterprise', ...ACTIVE };
  return (await db.users.findOne(owner, { projection: { _id: 1 } })) !== null;
}
