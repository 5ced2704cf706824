import { z } from 'zod';
import {
  AT,
  archiveFields,
  DEPARTMENT,
  ORGANIZATION,
  organizationRecord,
} from '../../organizations/contract.ts';
import { PAYMENT_STATUSES, PLANS } from '../../organizations/records.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const ABLE = 'Whether the account can act: active and verified';

const owner = z.object({
  user_id: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  able: z.boolean().meta({ description: ABLE }),
  granted_at: dateTime,
});

const plan = z.enum(PLANS).meta({ description: 'The best plan that a department has paid' });

export const listedOrganization = organizationRecord
  .extend({ plan, owners_total: z.int(), departments_total: z.int() })
  .meta({
    description: 'The organization',
    examples: [
      {
        organization_id: ORGANIZATION,
        name: 'Analytical Engines',
        created_at: AT,
        plan: 'Business',
        owners_total: 1,
        departments_total: 3,
      },
    ],
  });

const quota = z.object({
  limit: z.int(),
  own: z.boolean().meta({ description: 'Whether an operator has set it; otherwise the plan does' }),
});

const department = z.object({
  department_id: z.string(),
  name: z.string(),
  created_at: dateTime,
  subscription_plan: z.enum(PLANS),
  payment_status: z.enum(PAYMENT_STATUSES),
  members_total: z.int(),
  ...archiveFields,
});

export const organizationDetail = organizationRecord
  .extend({
    plan,
    quotas: z.object({
      departments: quota,
      members: quota.extend({ limit: z.int().nullable() }).meta({
        description: 'Of each department; null where the plan of each department decides',
      }),
    }),
    owners: z.array(owner),
    able_owners_total: z.int().meta({ description: '0: nobody can lead the organization' }),
    people_total: z.int().meta({ description: 'At most 10,001' }),
    departments_total: z.int(),
    departments: z.array(department).meta({ description: 'The first 100' }),
    connections: z.array(
      z.object({
        connection_id: z.string(),
        name: z.string(),
        protocol: z.enum(['saml', 'oidc', 'ldap']),
        enabled: z.boolean(),
      }),
    ),
    domains: z
      .array(z.object({ domain: z.string(), verified: z.boolean(), sso_required: z.boolean() }))
      .meta({ description: 'The first 100' }),
    webhooks: z.object({ total: z.int(), disabled: z.int(), failing: z.int() }),
  })
  .meta({
    description: 'The organization, with what an operator needs to help',
    examples: [
      {
        organization_id: ORGANIZATION,
        name: 'Analytical Engines',
        created_at: AT,
        plan: 'Business',
        quotas: { departments: { limit: 500, own: false }, members: { limit: null, own: false } },
        owners: [
          {
            user_id: 'User-483920',
            name: 'Ada Lovelace',
            email: 'ada@example.com',
            able: true,
            granted_at: AT,
          },
        ],
        able_owners_total: 1,
        people_total: 12,
        departments_total: 1,
        departments: [
          {
            department_id: DEPARTMENT,
            name: 'Support',
            created_at: AT,
            subscription_plan: 'Business',
            payment_status: 'paid',
            members_total: 11,
          },
        ],
        connections: [],
        domains: [{ domain: 'example.com', verified: true, sso_required: false }],
        webhooks: { total: 2, disabled: 0, failing: 1 },
      },
    ],
  });
