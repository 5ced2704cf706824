import { emailKey } from '@gatehouse/shared/identity/email';
import type { DeclaredOrganization } from '../../../services/user/declaration/schema.ts';
import { allPages } from '../admin/all-pages.ts';
import { type AdminApi, ApiError } from '../admin/api.ts';
import { segment } from '../admin/resource.ts';
import type { OrganizationDetail } from '../organizations.ts';
import { accountOf } from './operators.ts';
import type { Plan, Step } from './plan.ts';

const PATH = '/api/v1/admin/organizations';

type Listed = Pick<OrganizationDetail, 'organization_id' | 'name' | 'archived_at'>;

export async function planOrganizations(
  api: AdminApi,
  declared: readonly DeclaredOrganization[],
  prune: boolean,
): Promise<Plan> {
  const steps: Step[] = [];
  const manual: string[] = [];
  const named = new Set<string>();
  for (const organization of declared) {
    const found = await find(api, organization);
    const isTwice = found.some(({ organization_id }) => named.has(organization_id));
    for (const { organization_id } of found) named.add(organization_id);
    const problem = isTwice
      ? `the organization ${organization.name} is in the file twice, by its name and by its id; remove one`
      : problemOf(organization, found);
    if (problem !== undefined) {
      manual.push(problem);
      continue;
    }
    const [{ organization_id }] = found as [Listed];
    const stored = (await api.call('GET', `${PATH}/${segment(organization_id)}`)) as OrganizationDetail;
    for (const part of [
      planQuotas(organization, stored),
      planDepartments(organization, stored),
      await planOwners(api, organization, stored),
    ]) {
      steps.push(...part.steps);
      manual.push(...part.manual);
    }
  }
  if (prune)
    for (const { organization_id, name } of await allPages<Listed>(api, PATH, { archived: 'false' }))
      if (!named.has(organization_id))
        steps.push({
          change: '-',
          what: `organization ${name ?? 'without a name'} (${organization_id}): archived`,
          method: 'POST',
          path: `${PATH}/${segment(organization_id)}/archive`,
        });
  return { steps, manual };
}

/** All that have the name, or the one with the id. */
async function find(api: AdminApi, { name, organization_id }: DeclaredOrganization): Promise<Listed[]> {
  if (organization_id === undefined) {
    const found = await allPages<Listed>(api, PATH, { search: name });
    return found.filter((organization) => organization.name === name);
  }
  try {
    return [(await api.call('GET', `${PATH}/${segment(organization_id)}`)) as Listed];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

function problemOf(
  { name, organization_id, owners }: DeclaredOrganization,
  found: readonly Listed[],
): string | undefined {
  const [first, second] = found;
  if (!first)
    return organization_id === undefined
      ? `the organization ${name} must be created by ${owners[0] ?? 'a person'}, who becomes its first Owner`
      : `no organization has the id ${organization_id}; remove it, or correct it`;
  if (second)
    return `${found.length} organizations have the name ${name}; add the organization_id of one: ${found.map((each) => each.organization_id).join(', ')}`;
  if (first.name !== name)
    return `the organization ${organization_id} has the name ${first.name}; one of its Owners can change it to ${name}`;
  if (first.archived_at)
    return `the organization ${name} is archived; one of its Owners, or an operator in the console, can restore it`;
  return undefined;
}

function planQuotas({ name, quotas = {} }: DeclaredOrganization, stored: OrganizationDetail): Plan {
  const own = ({ limit, own }: OrganizationDetail['quotas']['members']) => (own ? limit : null);
  const before = { departments: own(stored.quotas.departments), members: own(stored.quotas.members) };
  // Undefined is what the file leaves out.
  const after = {
    departments: quotas.departments === undefined ? before.departments : quotas.departments,
    members: quotas.members === undefined ? before.members : quotas.members,
  };
  const changed = (['departments', 'members'] as const).filter((quota) => before[quota] !== after[quota]);
  if (changed.length === 0) return { steps: [], manual: [] };
  const texts = changed.map(
    (quota) => `quota of ${quota} ${before[quota] ?? 'of the plan'} → ${after[quota] ?? 'of the plan'}`,
  );
  const path = `${PATH}/${segment(stored.organization_id)}/quotas`;
  const what = `organization ${name}: ${texts.join(', ')}`;
  return { steps: [{ change: '~', what, method: 'PUT', path, body: after }], manual: [] };
}

function planDepartments(
  { name, plan, departments: declared }: DeclaredOrganization,
  { organization_id, departments, departments_total }: OrganizationDetail,
): Plan {
  const plans = new Map(declared.map((department) => [department.name, department.plan]));
  const steps = departments.flatMap((department): Step[] => {
    const { subscription_plan: before, payment_status, department_id, archived_at } = department;
    const subscription_plan = plans.get(department.name) ?? plan;
    const isAsDeclared = before === subscription_plan && payment_status === 'paid';
    if (subscription_plan === undefined || isAsDeclared || archived_at) return [];
    return [
      {
        change: '~',
        what: `department ${department.name} of ${name}: plan ${before}, ${payment_status} → ${subscription_plan}, paid`,
        method: 'PUT',
        path: `${PATH}/${segment(organization_id)}/plan`,
        body: { department_id, subscription_plan, payment_status: 'paid' },
      },
    ];
  });
  if (departments_total > departments.length && (plan !== undefined || declared.length > 0))
    return {
      steps,
      manual: [
        `${name} has more than ${departments.length} departments; set the plans of the others yourself`,
      ],
    };
  const open = new Set(departments.filter(({ archived_at }) => !archived_at).map((each) => each.name));
  const missing = declared.filter((department) => !open.has(department.name));
  return {
    steps,
    manual: missing.map((each) => `the department ${each.name} must be created by an Owner of ${name}`),
  };
}

/** Ownership takes consent: an Owner offers it. Only where none can act does an operator give it. */
async function planOwners(
  api: AdminApi,
  { name, owners: declared }: DeclaredOrganization,
  { organization_id, owners, able_owners_total }: OrganizationDetail,
): Promise<Plan> {
  const stored = new Set(owners.map(({ email }) => (email === null ? null : emailKey(email))));
  const steps: Step[] = [];
  const manual: string[] = [];
  for (const email of declared.filter((each) => !stored.has(each))) {
    const user_id = able_owners_total === 0 && steps.length === 0 ? await accountOf(api, email) : undefined;
    if (user_id === undefined)
      manual.push(`an Owner of ${name} must offer ownership to ${email}, who must accept it`);
    else
      steps.push({
        change: '+',
        what: `Owner ${email} of ${name}, where no Owner can act`,
        method: 'POST',
        path: `${PATH}/${segment(organization_id)}/owners`,
        body: { user_id },
      });
  }
  return { steps, manual };
}
