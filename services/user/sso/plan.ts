import { ANY_STRING, readPipeline } from '@gatehouse/shared/data/connect';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { Document } from 'mongodb';
import type { Database } from '../database.ts';

/** What `planStages` adds to a document. */
export interface Plan {
  paid_departments: unknown[];
  paying_owners: unknown[];
}

/**
 * Whether an organization has single sign-on: one of its departments has a paid Enterprise plan, or one of its
 * Owners who can act has it as their own (CONTRACT.md §Single sign-on).
 */
export const includesSso = ({ paid_departments, paying_owners }: Plan): boolean =>
  paid_departments.length > 0 || paying_owners.length > 0;

/** Reads the plan of the organization that a document names, in the round trip that reads the document. */
export function planStages(db: Database): Document[] {
  const one = [{ $limit: 1 }, { $project: { _id: 1 } }];
  const paidDepartment = {
    'billing.subscription_plan': 'Enterprise',
    'billing.payment_status': 'paid',
  };
  // An organization without Owners joins like null: it must not find the accounts that have no user_id.
  const paying = { user_id: ANY_STRING, subscription_plan: 'Enterprise', ...ACTIVE };
  const payingOwners = {
    from: db.users.collectionName,
    localField: 'owners.user_id',
    foreignField: 'user_id',
    pipeline: [{ $match: paying }, ...one],
    as: 'paying',
  };
  const organization = { localField: 'organization_id', foreignField: 'organization_id' };
  return [
    {
      $lookup: {
        from: db.departments.collectionName,
        ...organization,
        pipeline: [{ $match: paidDepartment }, ...one],
        as: 'paid_departments',
      },
    },
    {
      $lookup: {
        from: db.organizations.collectionName,
        ...organization,
        pipeline: [{ $lookup: payingOwners }, { $match: { paying: { $ne: [] } } }, ...one],
        as: 'paying_owners',
      },
    },
  ];
}

/** Whether an organization has single sign-on, see `includesSso`. */
export async function hasSsoPlan(db: Database, organization_id: string): Promise<boolean> {
  const [plan] = await readPipeline<Plan>(db.organizations, [
    { $match: { organization_id } },
    { $project: { organization_id: 1 } },
    ...planStages(db),
  ]);
  return plan !== undefined && includesSso(plan);
}
