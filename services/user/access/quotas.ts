import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import type { Collection, Document, Filter, UpdateFilter } from 'mongodb';
import type { Database } from '../database.ts';
import { type Department, type Organization, PLANS } from '../organizations/records.ts';

type Plan = (typeof PLANS)[number];

/** How much a plan allows (CONTRACT.md §Quotas). */
export const QUOTAS = {
  Free: { departments: 100, members: 1_000, webhooks: 20 },
  Starter: { departments: 200, members: 2_500, webhooks: 30 },
  Professional: { departments: 300, members: 10_000, webhooks: 50 },
  Business: { departments: 500, members: 50_000, webhooks: 75 },
  Enterprise: { departments: 1_000, members: 250_000, webhooks: 100 },
} as const satisfies Record<Plan, Record<string, number>>;

type Quota = keyof (typeof QUOTAS)['Free'];

const HOLDERS = {
  departments: 'An organization',
  members: 'A department',
  webhooks: 'An account',
} as const satisfies Record<Quota, string>;

/** The failure of a call that would exceed a quota: it names the limit and the plan. */
export const quotaExceeded = (quota: Quota, plan: Plan, holder: string = HOLDERS[quota]): AppError =>
  new AppError('forbidden', {
    text: `${holder} on the ${plan} plan has at most ${QUOTAS[plan][quota]} ${quota}`,
  });

/** The plan of an account, by its `subscription_plan`; like the rate tiers, others count as Free. */
export const accountPlan = ({ subscription_plan }: { subscription_plan?: unknown }): Plan =>
  PLANS.find((plan) => plan === subscription_plan) ?? 'Free';

/** The plan of a department. It counts once it is paid; until then the department has that of Free. */
const departmentPlan = ({
  subscription_plan,
  payment_status,
}: Pick<Department['billing'], 'subscription_plan' | 'payment_status'>): Plan =>
  payment_status === 'paid' ? subscription_plan : 'Free';

/** The plan of an organization: the best of its departments. The billing of an archived one has ended. */
export async function organizationPlan(
  { departments }: Pick<Database, 'departments'>,
  organization_id: string,
): Promise<Plan> {
  const paid = await departments.distinct('billing.subscription_plan', {
    organization_id,
    'billing.payment_status': 'paid',
    archived_at: { $exists: false },
  });
  return bestPlan(paid);
}

export const bestPlan = (plans: readonly unknown[]): Plan =>
  PLANS.findLast((plan) => plans.includes(plan)) ?? 'Free';

/** The quotas of an organization: those that an operator has set, or those of its plan. */
export const quotasOf = ({ quotas = {} }: Pick<Organization, 'quotas'>, plan: Plan) => ({
  departments: {
    limit: quotas.departments ?? QUOTAS[plan].departments,
    own: quotas.departments !== undefined,
  },
  /** Of each department; null where the plan of each decides. */
  members: { limit: quotas.members ?? null, own: quotas.members !== undefined },
});

/** The failure of a call that would exceed what an operator has set. */
const ownQuotaExceeded = (quota: 'departments' | 'members', limit: number): AppError =>
  new AppError('forbidden', { text: `${HOLDERS[quota]} here has at most ${limit} ${quota}` });

const readQuotas = async (
  db: Database,
  organization_id: string,
): Promise<NonNullable<Organization['quotas']>> =>
  (await db.organizations.findOne({ organization_id }, { projection: { quotas: 1 } }))?.quotas ?? {};

/** The plan of a place, or of an account. */
export async function planOf(
  db: Database,
  { organization_id, department_id }: { organization_id: string | null; department_id: string | null },
  account: { subscription_plan?: unknown },
): Promise<Plan> {
  if (organization_id === null) return accountPlan(account);
  if (department_id === null) return organizationPlan(db, organization_id);
  const department = await db.departments.findOne(
    { organization_id, department_id },
    { projection: { billing: 1 } },
  );
  return departmentPlan(orNotFound(department).billing);
}

/** @throws {AppError} forbidden if the organization has as many departments as its quota allows. */
export async function reserveDepartment(db: Database, organization_id: string): Promise<void> {
  const [plan, own] = await Promise.all([
    organizationPlan(db, organization_id),
    readQuotas(db, organization_id),
  ]);
  const limit = own.departments ?? QUOTAS[plan].departments;
  const exceeded = () =>
    own.departments === undefined
      ? quotaExceeded('departments', plan)
      : ownQuotaExceeded('departments', limit);
  await reserve(db.organizations, {
    filter: { organization_id },
    field: 'departments_reserved',
    hasRoom: { departments_reserved: { $lt: limit } },
    added: 1,
    count: () => db.departments.countDocuments({ organization_id }),
    refusalAt: (used) => (used < limit ? null : exceeded()),
  });
}

/**
 * Call before memberships are created.
 * @throws {AppError} forbidden if the department then had more members than its quota allows.
 */
export async function reserveMembers(
  db: Database,
  { organization_id, department_id }: Pick<Department, 'organization_id' | 'department_id'>,
  added = 1,
): Promise<void> {
  const isPaid = { $eq: ['$billing.payment_status', 'paid'] };
  const branches = PLANS.map((plan) => ({
    case: { $and: [isPaid, { $eq: ['$billing.subscription_plan', plan] }] },
    then: QUOTAS[plan].members,
  }));
  const own = await readQuotas(db, organization_id);
  const limit = own.members ?? { $switch: { branches, default: QUOTAS.Free.members } };
  await reserve(db.departments, {
    filter: { organization_id, department_id },
    field: 'members_reserved',
    hasRoom: {
      members_reserved: { $gte: 0 },
      $expr: { $lte: [{ $add: ['$members_reserved', added] }, limit] },
    },
    added,
    count: () => db.memberships.countDocuments({ department_id, user_id: { $gt: '' } }),
    refusalAt: (used, { billing }) => {
      if (own.members !== undefined)
        return used + added > own.members ? ownQuotaExceeded('members', own.members) : null;
      const plan = departmentPlan(billing);
      return used + added > QUOTAS[plan].members ? quotaExceeded('members', plan) : null;
    },
  });
}

/**
 * Takes room under a quota with one atomic write to a counter. Nothing gives room back: the counter is an upper bound
 * of what is used, and a call that finds no room counts what is really there. Concurrent calls exceed the quota by no
 * more than those that have taken room, but have not used it yet, while another call counts.
 */
async function reserve<Stored extends Document>(
  collection: Collection<Stored>,
  {
    filter,
    field,
    hasRoom,
    added,
    count,
    refusalAt,
  }: {
    filter: Filter<Stored>;
    field: string & keyof Stored;
    hasRoom: Filter<Stored>;
    added: number;
    count: () => Promise<number>;
    refusalAt: (used: number, stored: Document) => AppError | null;
  },
): Promise<void> {
  const take = { $inc: { [field]: added } } as UpdateFilter<Stored>;
  await optimistic(async () => {
    const { matchedCount } = await collection.updateOne({ ...filter, ...hasRoom }, take);
    if (matchedCount === 1) return true;
    const stored = await collection.findOne(filter);
    if (!stored) throw new AppError('notFound');
    const used = await count();
    const refusal = refusalAt(used, stored);
    if (refusal) throw refusal;
    const unchanged = { ...filter, [field]: stored[field] ?? { $exists: false } };
    await collection.updateOne(unchanged, { $set: { [field]: used } } as unknown as UpdateFilter<Stored>);
  });
}
