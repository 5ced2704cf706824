import { ROLES } from '@gatehouse/shared/access/rbac';
import { expecting, jsonBody, line, oneOf } from '@gatehouse/shared/http/fields';
import type { ServiceAccount } from '@gatehouse/shared/identity/machine-keys/records';
import { z } from 'zod';

/** Departments in which one service account has a role. */
const MAX_ROLES = 100;

const [, ...GRANTED] = ROLES;
const serviceRole = oneOf(GRANTED);

export const serviceAccountRecord = z
  .object({
    service_account_id: z
      .string()
      .meta({ description: 'Stands where people have a user_id, such as in the audit and as `owner_id`' }),
    organization_id: z.string(),
    name: z.string(),
    roles: z.array(z.object({ department_id: z.string(), role: z.enum(GRANTED) })),
    created_at: z.string().meta({ format: 'date-time' }),
    created_by: z.string().meta({ description: 'The user_id of whoever made it' }),
  })
  .meta({
    description: 'The service account',
    examples: [
      {
        service_account_id: 'Service-01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        organization_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        name: 'Crawler',
        roles: [{ department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52', role: 'Editor' }],
        created_at: '2026-01-15T09:30:00.000Z',
        created_by: 'User-483920',
      },
    ],
  });

const roles = z
  .array(jsonBody({ department_id: line(200), role: serviceRole }), expecting('must be a list of roles'))
  .min(1, { error: 'must name a department' })
  .max(MAX_ROLES, { error: `must name at most ${MAX_ROLES} departments` })
  .refine((given) => new Set(given.map(({ department_id }) => department_id)).size === given.length, {
    error: 'must name each department once',
  });

const EXAMPLE = {
  name: 'Crawler',
  roles: [{ department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52', role: 'Editor' }],
};

export const newServiceAccount = jsonBody({ name: line(100), roles }).meta({ examples: [EXAMPLE] });

export const serviceAccountChanges = jsonBody({
  name: line(100).exactOptional(),
  roles: roles.exactOptional(),
}).meta({ examples: [{ roles: EXAMPLE.roles }] });

export const presentServiceAccount = ({
  service_account_id,
  organization_id,
  name,
  roles,
  created_at,
  created_by,
}: ServiceAccount): z.infer<typeof serviceAccountRecord> => ({
  service_account_id,
  organization_id,
  name,
  roles,
  created_at: created_at.toISOString(),
  created_by,
});

/** What the audit shows. */
export const auditedServiceAccount = ({ name, roles }: Pick<ServiceAccount, 'name' | 'roles'>) => ({
  name,
  roles: roles.map(({ department_id, role }) => `${department_id} ${role}`),
});
