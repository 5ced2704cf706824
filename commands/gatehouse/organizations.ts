import { type AdminCall, personOf, resource, segment } from './admin/resource.ts';
import type { Command } from './command.ts';
import { UsageError } from './exit.ts';

const PATH = '/api/v1/admin/organizations';

interface Listed {
  organization_id: string;
  name: string | null;
  plan: string;
  owners_total: number;
  departments_total: number;
}

export interface OrganizationDetail extends Listed {
  archived_at?: string;
  able_owners_total: number;
  quotas: Record<'departments' | 'members', { limit: number | null; own: boolean }>;
  owners: { user_id: string; name: string | null; email: string | null; able: boolean }[];
  people_total: number;
  departments: {
    department_id: string;
    name: string;
    subscription_plan: string;
    payment_status: string;
    members_total: number;
    archived_at?: string;
  }[];
}

export const organizations: Command = resource({
  name: 'organizations',
  summary: 'lists organizations, and changes their plans, quotas and Owners',
  notes: `  <id> is an organization_id, <who> an e-mail or a user_id

  --search <text>           for list: an organization_id, or the beginning of a name
  --page <number>           for list
  --department <id>         for plan
  --plan <name>             for plan: Free, Starter, Professional, Business or Enterprise
  --payment-status <name>   for plan: paid (unless another is given), pending or failed
  --departments <number>    for quotas: of the organization; "plan" lets the plan decide again
  --members <number>        for quotas: of each department; "plan" lets the plan decide again`,
  options: {
    search: { type: 'string' },
    page: { type: 'string' },
    department: { type: 'string' },
    plan: { type: 'string' },
    'payment-status': { type: 'string' },
    departments: { type: 'string' },
    members: { type: 'string' },
  },
  verbs: {
    list: {
      args: [],
      summary: 'the newest, or those that --search finds',
      async run({ api, values, terminal }) {
        const query = new URLSearchParams({ limit: '50', page: String(values.page ?? 1) });
        if (typeof values.search === 'string') query.set('search', values.search);
        const answer = (await api.call('GET', `${PATH}?${query}`)) as {
          data: Listed[];
          pagination: { total_items: number };
        };
        terminal.result(answer, () => [
          ...terminal.table(
            ['organization_id', 'name', 'plan', 'owners', 'departments'],
            answer.data.map((each) => [
              each.organization_id,
              each.name,
              each.plan,
              each.owners_total,
              each.departments_total,
            ]),
          ),
          `${answer.data.length} of ${answer.pagination.total_items}`,
        ]);
      },
    },
    show: {
      args: ['<id>'],
      summary: 'plan, quotas, Owners and departments of one',
      async run({ api, args, terminal }) {
        const detail = (await api.call('GET', `${PATH}/${segment(args[0] as string)}`)) as OrganizationDetail;
        terminal.result(detail, () => detailLines(detail, terminal));
      },
    },
    plan: {
      args: ['<id>'],
      summary: 'sets the plan of a department',
      changes: true,
      async run({ api, args, values, terminal, reason }) {
        const body = {
          department_id: required(values, 'department'),
          subscription_plan: required(values, 'plan'),
          payment_status: values['payment-status'] ?? 'paid',
          reason,
        };
        const billing = (await api.call('PUT', `${PATH}/${segment(args[0] as string)}/plan`, body)) as object;
        terminal.result(billing, () => [
          terminal.text(
            `${body.department_id} has the plan ${body.subscription_plan}, ${body.payment_status}`,
          ),
        ]);
      },
    },
    quotas: {
      args: ['<id>'],
      summary: 'sets --departments and --members in place of the plan',
      changes: true,
      async run({ api, args, values, terminal, reason }) {
        const departments = quota(values, 'departments');
        const members = quota(values, 'members');
        const path = `${PATH}/${segment(args[0] as string)}/quotas`;
        const detail = (await api.call('PUT', path, { departments, members, reason })) as OrganizationDetail;
        terminal.result(detail, () => detailLines(detail, terminal));
      },
    },
    'add-owner': {
      args: ['<id>', '<who>'],
      summary: 'adds an Owner where no Owner can act',
      changes: true,
      async run(call) {
        const { api, args, terminal, reason } = call;
        const [id, who] = args as [string, string];
        const user_id = await personOf(call, who);
        const owner = (await api.call('POST', `${PATH}/${segment(id)}/owners`, {
          user_id,
          reason,
        })) as object;
        terminal.result(owner, () => [terminal.text(`${user_id} is an Owner of ${id}`)]);
      },
    },
  },
});

function detailLines(detail: OrganizationDetail, { table, text }: AdminCall['terminal']): string[] {
  const { quotas, owners, departments } = detail;
  const quotaText = ({ limit, own }: OrganizationDetail['quotas']['members']) =>
    `${limit ?? 'as the plan of each says'}${own ? ' (set by an operator)' : ''}`;
  return [
    text(
      `${detail.name ?? 'without a name'} (${detail.organization_id}), ${detail.plan}, ${detail.people_total} people`,
    ),
    `quotas: departments ${quotaText(quotas.departments)}, members of each ${quotaText(quotas.members)}`,
    '',
    ...table(
      ['Owner', 'name', 'e-mail', 'can act'],
      owners.map(({ user_id, name, email, able }) => [user_id, name, email, able ? 'yes' : 'no']),
    ),
    '',
    ...table(
      ['department', 'name', 'plan', 'payment', 'members'],
      departments.map((each) => [
        each.department_id,
        each.name,
        each.subscription_plan,
        each.payment_status,
        each.members_total,
      ]),
    ),
  ];
}

function required(values: AdminCall['values'], option: string): string {
  const value = values[option];
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${option} is required`);
  return value;
}

/** Null lets the plan decide. Both are required, because a call sets both. */
function quota(values: AdminCall['values'], option: string): number | null {
  const value = required(values, option);
  if (value === 'plan') return null;
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new UsageError(`--${option} must be a number from 1, or plan`);
  return Number(value);
}
