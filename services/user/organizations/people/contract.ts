import { ROLES } from '@gatehouse/shared/access/rbac';
import { z } from 'zod';
import { personFields } from '../../access/people.ts';

/** The people of an organization, in whatever department they have a role (CONTRACT.md §Organizations). */

const DEPARTMENT = '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52';
const AT = '2026-01-15T09:30:00.000Z';

const granted = { granted_by: z.string(), granted_at: z.string().meta({ format: 'date-time' }) };
const departmentRole = z.object({ department_id: z.string(), name: z.string(), role: z.enum(ROLES) });

const EXAMPLE = { user_id: 'User-720415', name: 'Grace Hopper', email: 'grace@example.com' };
const ROLE = { department_id: DEPARTMENT, name: 'Support', role: 'Editor' as const };

export const personRecord = z
  .object({
    user_id: z.string(),
    ...personFields,
    role: z.literal('Owner').nullable().meta({ description: '`Owner` of the organization, or null' }),
    departments: z.array(departmentRole).meta({ description: 'The departments of which they are a member' }),
    departments_total: z.int(),
  })
  .meta({
    description: 'The person and their roles',
    examples: [{ ...EXAMPLE, role: null, departments: [ROLE], departments_total: 1 }],
  });

export const personView = z
  .object({
    user_id: z.string(),
    ...personFields,
    owner: z
      .object(granted)
      .nullable()
      .meta({ description: 'Who made them an Owner of the organization, and when; otherwise null' }),
    departments: z.array(departmentRole.extend(granted)),
    chatbot_roles: z
      .array(
        z.object({
          chatbot_id: z.string(),
          department_id: z.string(),
          role: z.enum(ROLES),
          ...granted,
        }),
      )
      .meta({
        description: 'The latest entries of the person on access lists of the organization’s chatbots',
      }),
    chatbot_roles_total: z.int(),
  })
  .meta({
    description: 'The person and all their grants',
    examples: [
      {
        ...EXAMPLE,
        owner: null,
        departments: [{ ...ROLE, granted_by: 'User-483920', granted_at: AT }],
        chatbot_roles: [
          {
            chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
            department_id: DEPARTMENT,
            role: 'Owner',
            granted_by: 'User-720415',
            granted_at: AT,
          },
        ],
        chatbot_roles_total: 1,
      },
    ],
  });
