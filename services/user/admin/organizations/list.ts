import { TIME_LIMIT, tooSlow } from '@gatehouse/shared/data/time-limit';
import { oneOf } from '@gatehouse/shared/http/fields';
import { listQuery, pageResponse, paginationOf } from '@gatehouse/shared/operation/lists';
import { bestPlan } from '../../access/quotas.ts';
import type { Database } from '../../database.ts';
import { type Organization, PAYMENT_STATUSES, PLANS } from '../../organizations/records.ts';
import { operation } from '../operation.ts';
import { listedOrganization } from './contract.ts';
import { findByBilling, findOrganizations } from './find.ts';

const table = {
  sortable: ['created_at'],
  filters: { archived: ['true', 'false'], plan: PLANS, payment_status: PAYMENT_STATUSES },
} as const;

const query = listQuery({ sortable: table.sortable, filters: {} }).extend({
  archived: oneOf(table.filters.archived).optional(),
  plan: oneOf(PLANS).optional().meta({ description: 'Organizations with a department on this plan' }),
  payment_status: oneOf(PAYMENT_STATUSES).optional(),
});

export const listOrganizations = operation('GET /api/v1/admin/organizations', {
  needs: 'support operator',
  byKey: true,
  summary: 'List all organizations',
  description:
    'Lists the newest first. `search` is an organization_id, or the beginning of a name, ignoring case; those are listed by name. `plan` and `payment_status` match organizations with a department for which both are true. A `total_items` above 10,000 is not exact; `has_next` always is. A filter that takes longer than five seconds is 503.',
  query,
  returns: pageResponse(listedOrganization),
  async handle({ db, query }) {
    const find = query.plan || query.payment_status ? findByBilling : findOrganizations;
    const { organizations, total } = await find(db, query, TIME_LIMIT).catch(
      tooSlow('The search takes too long; add a filter'),
    );
    const departments = await departmentsOf(db, organizations);
    return {
      data: organizations.map((organization) => ({
        ...organization,
        plan: departments.get(organization.organization_id)?.plan ?? 'Free',
        owners_total: organization.owners.length,
        departments_total: departments.get(organization.organization_id)?.total ?? 0,
      })),
      pagination: paginationOf(total, query),
    };
  },
});

/** The number of departments of each organization, and the best plan that one has paid. */
async function departmentsOf(db: Database, organizations: readonly Organization[]) {
  const isPaid = {
    $and: [{ $eq: ['$billing.payment_status', 'paid'] }, { $eq: [{ $type: '$archived_at' }, 'missing'] }],
  };
  const rows = await db.departments
    .aggregate<{ _id: string; total: number; paid: (string | null)[] }>([
      { $match: { organization_id: { $in: organizations.map(({ organization_id }) => organization_id) } } },
      {
        $group: {
          _id: '$organization_id',
          total: { $sum: 1 },
          paid: { $addToSet: { $cond: [isPaid, '$billing.subscription_plan', null] } },
        },
      },
    ])
    .toArray();
  return new Map(rows.map(({ _id, total, paid }) => [_id, { total, plan: bestPlan(paid) }]));
}
