import { orNotFound } from '@gatehouse/shared/http/errors';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { z } from 'zod';
import { nameOf } from '../../access/people.ts';
import { organizationPlan, quotasOf } from '../../access/quotas.ts';
import type { Database } from '../../database.ts';
import type { Organization } from '../../organizations/records.ts';
import { operation } from '../operation.ts';
import { organizationDetail } from './contract.ts';

/** Departments and domains that are shown. */
const MAX_SHOWN = 100;
/** People that are counted. */
const MAX_COUNT = 10_001;

export const getOrganization = operation('GET /api/v1/admin/organizations/{organization_id}', {
  needs: 'support operator',
  byKey: true,
  summary: 'Read an organization as an operator',
  description:
    'Returns its Owners and whether each can act, its departments with their plans, its quotas, and counts of what belongs to it. The operator gains no role by it.',
  returns: organizationDetail,
  async handle({ db, params: { organization_id } }) {
    return detailOf(db, orNotFound(await db.organizations.findOne({ organization_id })));
  },
});

/** What operators see of an organization. */
export async function detailOf(
  db: Database,
  organization: Organization,
): Promise<z.infer<typeof organizationDetail>> {
  const { organization_id } = organization;
  const own = { organization_id };
  const user_ids = organization.owners.map(({ user_id }) => user_id);
  const [able, accounts, plan, departments, departments_total, people_total, connections, domains, webhooks] =
    await Promise.all([
      activeAmong(db.users, user_ids),
      accountsOf(db, user_ids),
      organizationPlan(db, organization_id),
      departmentsOf(db, organization_id),
      db.departments.countDocuments(own),
      db.organizationPeople.countDocuments(own, { limit: MAX_COUNT }),
      db.ssoConnections.find({ ...own, deleted_at: { $exists: false } }).toArray(),
      db.ssoDomains.find(own, { sort: { domain: 1 }, limit: MAX_SHOWN }).toArray(),
      webhooksOf(db, organization_id),
    ]);
  return {
    ...organization,
    plan,
    quotas: quotasOf(organization, plan),
    owners: organization.owners.map(({ user_id, granted_at }) => ({
      user_id,
      ...(accounts.get(user_id) ?? { name: null, email: null }),
      able: able.has(user_id),
      granted_at,
    })),
    able_owners_total: able.size,
    people_total,
    departments_total,
    departments,
    connections,
    domains: domains.map(({ domain, verified_domain, sso_required }) => ({
      domain,
      verified: verified_domain !== undefined,
      sso_required,
    })),
    webhooks,
  };
}

async function accountsOf(db: Database, user_ids: readonly string[]) {
  const users = await db.users
    .find({ user_id: { $in: [...user_ids] } }, { projection: { user_id: 1, name: 1, email: 1 } })
    .toArray();
  return new Map(
    users.map(({ user_id = '', name, email }) => [user_id, { name: nameOf(name), email }] as const),
  );
}

/** The first departments by name, each with the number of its members. */
async function departmentsOf(db: Database, organization_id: string) {
  const departments = await db.departments
    .find({ organization_id }, { sort: { organization_id: 1, name_key: 1 }, limit: MAX_SHOWN })
    .toArray();
  return Promise.all(
    departments.map(async ({ billing: { subscription_plan, payment_status }, ...department }) => ({
      ...department,
      subscription_plan,
      payment_status,
      members_total: await db.memberships.countDocuments({
        department_id: department.department_id,
        user_id: { $gt: '' },
      }),
    })),
  );
}

/** Counts the webhooks of an organization and its departments. */
async function webhooksOf(db: Database, organization_id: string) {
  const found = await db.webhooks
    .find({ owner_id: null, organization_id }, { projection: { status: 1, 'health.failing_since': 1 } })
    .toArray();
  return {
    total: found.length,
    disabled: found.filter(({ status }) => status === 'disabled').length,
    failing: found.filter(({ status, health }) => status === 'active' && health?.failing_since).length,
  };
}
