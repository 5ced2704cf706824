import { ROLES } from '@gatehouse/shared/access/rbac';
import { z } from 'zod';
import { personFields } from '../../access/people.ts';
import { AT, DEPARTMENT } from '../contract.ts';

const granted = { granted_by: z.string(), granted_at: z.string().meta({ format: 'date-time' }) };

const PERSON = { user_id: 'User-720415', name: 'Grace Hopper', email: 'grace@example.com' };
const GRANTED = { granted_by: 'User-483920', granted_at: AT };
const ROLE = { department_id: DEPARTMENT, name: 'Support', role: 'Editor' as const };
const CHATBOT_ROLE = {
  chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
  role: 'Owner' as const,
  granted_by: PERSON.user_id,
  granted_at: AT,
};

export const memberRecord = z
  .object({
    user_id: z.string(),
    role: z.enum(ROLES),
    email: z
      .string()
      .nullable()
      .meta({ description: 'The invited address; null for a member who was invited or added by user_id' }),
    ...granted,
  })
  .meta({
    description: 'The member',
    examples: [{ user_id: PERSON.user_id, role: 'Editor', email: PERSON.email, ...GRANTED }],
  });

/** A member as the list shows them. */
export const listedMember = memberRecord.extend(personFields).meta({
  description: 'The member',
  examples: [{ ...PERSON, role: 'Editor', ...GRANTED }],
});

const chatbotRole = z.object({ chatbot_id: z.string(), role: z.enum(ROLES), ...granted });

/** A member with the entries that name them on the access lists of the department's chatbots. */
export const memberView = listedMember
  .extend({
    chatbot_roles: z.array(chatbotRole).meta({
      description: 'The latest entries of the member on access lists of the department’s chatbots',
    }),
    chatbot_roles_total: z.int(),
  })
  .meta({
    description: 'The member and their roles on chatbots',
    examples: [
      { ...PERSON, role: 'Editor', ...GRANTED, chatbot_roles: [CHATBOT_ROLE], chatbot_roles_total: 1 },
    ],
  });

const departmentRole = z.object({ department_id: z.string(), name: z.string(), role: z.enum(ROLES) });

/** A person of an organization, in whatever department they have a role. */
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
    examples: [{ ...PERSON, role: null, departments: [ROLE], departments_total: 1 }],
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
    chatbot_roles: z.array(chatbotRole.extend({ department_id: z.string() })).meta({
      description: 'The latest entries of the person on access lists of the organization’s chatbots',
    }),
    chatbot_roles_total: z.int(),
  })
  .meta({
    description: 'The person and all their grants',
    examples: [
      {
        ...PERSON,
        owner: null,
        departments: [{ ...ROLE, ...GRANTED }],
        chatbot_roles: [{ ...CHATBOT_ROLE, department_id: DEPARTMENT }],
        chatbot_roles_total: 1,
      },
    ],
  });
