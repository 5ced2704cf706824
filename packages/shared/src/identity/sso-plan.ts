import type { Document } from 'mongodb';
import { ANY_STRING } from '../data/connect.ts';
import { ACTIVE } from './users.ts';

/** What `planStages` adds to a document. */
export interface SsoPlan {
  paid_departments: unknown[];
  paying_owners: unknown[];
}

/**
 * Whether an organization has single sign-on: one of its departments has an Enterprise plan that is paid or in the grace
 * after a failed payment, or one of its Owners who can act has it as their own (CONTRACT.md §Single sign-on).
 */
export const includesSso = ({ paid_departments, paying_owners }: SsoPlan): boolean =>
  paid_departments.length > 0 || paying_owners.length > 0;

/**
 * Reads the plan of the organization that a document names, in the round trip that reads the document. The collections
 * belong to the user service; the login service reads them too.
 * @param now Unix milliseconds.
 */
export function planStages(now: number): Document[] {
  const one = [{ $limit: 1 }, { $project: { _id: 1 } }];
  const paidDepartment = {
    'billing.subscription_plan': 'Enterprise',
    $or: [{ 'billing.payment_status': 'paid' }, { 'payment_grace.ends_at': { $gt: new Date(now) } }],
  };
  // An organization without Owners joins like null: it must not find the accounts that have no user_id.
  const paying = { user_id: ANY_STRING, subscription_plan: 'Enterprise', ...ACTIVE };
  const payingOwners = {
    from: 'users',
    localField: 'owners.user_id',
    foreignField: 'user_id',
    pipeline: [{ $match: paying }, ...one],
    as: 'paying',
  };
  const organization = { localField: 'organization_id', foreignField: 'organization_id' };
  return [
    {
      $lookup: {
        from: 'departments',
        ...organization,
        pipeline: [{ $match: paidDepartment }, ...one],
        as: 'paid_departments',
      },
    },
    {
      $lookup: {
        from: 'organizations',
        ...organization,
        pipeline: [{ $lookup: payingOwners }, { $match: { paying: { $ne: [] } } }, ...one],
        as: 'paying_owners',
      },
    },
  ];
}
