import { ROLES } from '@gatehouse/shared/access/rbac';
import { z } from 'zod';
import { personFields } from '../access/people.ts';

/** The reason why an Owner of the organization is neither added to a department nor invited. */
export const ALREADY_OWNER = 'An Owner of the organization is Owner in every department';

const ORGANIZATION = '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21';
const DEPARTMENT = '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52';
const AT = '2026-01-15T09:30:00.000Z';

/** The fields of an archived place; a place that is not archived lacks them. */
export const archiveFields = {
  archived_at: z.string().meta({ format: 'date-time' }).exactOptional(),
  deletes_at: z
    .string()
    .meta({ format: 'date-time', description: 'When the archived place is deleted for good' })
    .exactOptional(),
};

export const organizationRecord = z
  .object({
    organization_id: z.string(),
    name: z.string(),
    created_at: z.string().meta({ format: 'date-time' }),
    ...archiveFields,
  })
  .meta({
    description: 'The organization',
    examples: [{ organization_id: ORGANIZATION, name: 'Analytical Engines', created_at: AT }],
  });

export const departmentRecord = z
  .object({
    department_id: z.string(),
    organization_id: z.string(),
    name: z.string(),
    created_at: z.string().meta({ format: 'date-time' }),
    ...archiveFields,
    move_to: z
      .string()
      .meta({ description: 'The department to which the chatbots of an archived department move' })
      .exactOptional(),
  })
  .meta({
    description: 'The department',
    examples: [{ department_id: DEPARTMENT, organization_id: ORGANIZATION, name: 'Support', created_at: AT }],
  });

export const ownerRecord = z
  .object({
    user_id: z.string(),
    granted_by: z.string(),
    granted_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'An Owner of the organization',
    examples: [{ user_id: 'User-483920', granted_by: 'User-483920', granted_at: AT }],
  });

/** An Owner as the list shows them. */
export const listedOwner = ownerRecord.extend(personFields).meta({
  description: 'An Owner of the organization',
  examples: [
    {
      user_id: 'User-483920',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      granted_by: 'User-483920',
      granted_at: AT,
    },
  ],
});

export const memberRecord = z
  .object({
    user_id: z.string(),
    role: z.enum(ROLES),
    email: z
      .string()
      .nullable()
      .meta({ description: 'The invited address; null for a member who was invited or added by user_id' }),
    granted_by: z.string(),
    granted_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'The member',
    examples: [
      {
        user_id: 'User-720415',
        role: 'Editor',
        email: 'grace@example.com',
        granted_by: 'User-483920',
        granted_at: AT,
      },
    ],
  });

/** A member as the list shows them. */
export const listedMember = memberRecord.extend(personFields).meta({
  description: 'The member',
  examples: [
    {
      user_id: 'User-720415',
      name: 'Grace Hopper',
      role: 'Editor',
      email: 'grace@example.com',
      granted_by: 'User-483920',
      granted_at: AT,
    },
  ],
});

/** A member with the entries that name them on the access lists of the department's chatbots. */
export const memberView = listedMember
  .extend({
    chatbot_roles: z
      .array(
        z.object({
          chatbot_id: z.string(),
          role: z.enum(ROLES),
          granted_by: z.string(),
          granted_at: z.string().meta({ format: 'date-time' }),
        }),
      )
      .meta({
        description: 'The latest entries of the member on access lists of the department’s chatbots',
      }),
    chatbot_roles_total: z.int(),
  })
  .meta({
    description: 'The member and their roles on chatbots',
    examples: [
      {
        user_id: 'User-720415',
        name: 'Grace Hopper',
        role: 'Editor',
        email: 'grace@example.com',
        granted_by: 'User-483920',
        granted_at: AT,
        chatbot_roles: [
          {
            chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
            role: 'Owner',
            granted_by: 'User-720415',
            granted_at: AT,
          },
        ],
        chatbot_roles_total: 1,
      },
    ],
  });

/** What became of an invitation. */
export const INVITATION_STATUSES = ['pending', 'declined', 'expired', 'accepted'] as const;

const invitationFields = {
  invitation_id: z.string(),
  status: z.enum(INVITATION_STATUSES),
  granted_by: z.string(),
  granted_at: z.string().meta({ format: 'date-time' }),
  expires_at: z.string().nullable().meta({ format: 'date-time' }),
};
const INVITATION = '01936f30-5a1e-7e0d-8f3b-1c9d2b7a6e40';
const EXPIRY = '2026-01-29T09:30:00.000Z';

export const invitationRecord = z
  .object({
    ...invitationFields,
    email: z
      .string()
      .nullable()
      .meta({ description: 'The invited address; null for an invitation by user_id' }),
    user_id: z
      .string()
      .nullable()
      .meta({ description: 'The invited user_id, whether an account has it or not; null for an address' }),
    role: z.enum(ROLES),
  })
  .meta({
    description: 'The invitation',
    examples: [
      {
        invitation_id: INVITATION,
        email: 'grace@example.com',
        user_id: null,
        role: 'Editor',
        status: 'pending',
        granted_by: 'User-483920',
        granted_at: AT,
        expires_at: EXPIRY,
      },
    ],
  });

export const offerRecord = z
  .object({
    ...invitationFields,
    user_id: z.string().meta({ description: 'The invited user_id, whether an account has it or not' }),
    role: z.literal('Owner'),
    transfer: z.boolean().meta({ description: 'Whether the Owner who made the offer then stops being one' }),
  })
  .meta({
    description: 'The offer to become an Owner',
    examples: [
      {
        invitation_id: INVITATION,
        user_id: 'User-720415',
        role: 'Owner',
        transfer: false,
        status: 'pending',
        granted_by: 'User-483920',
        granted_at: AT,
        expires_at: EXPIRY,
      },
    ],
  });

/** An invitation as its invitee sees it. */
export const receivedInvitation = z
  .object({
    invitation_id: z.string(),
    organization_id: z.string(),
    organization_name: z.string(),
    department_id: z.string().nullable(),
    department_name: z
      .string()
      .nullable()
      .meta({ description: 'Null for an offer to become an Owner of the organization' }),
    role: z.enum(ROLES),
    transfer: offerRecord.shape.transfer,
    email: invitationRecord.shape.email,
    granted_by: z.string(),
    granted_by_name: z.string().nullable().meta({ description: 'The name of the inviter' }),
    granted_at: z.string().meta({ format: 'date-time' }),
    expires_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({
    description: 'The invitation',
    examples: [
      {
        invitation_id: INVITATION,
        organization_id: ORGANIZATION,
        organization_name: 'Analytical Engines',
        department_id: DEPARTMENT,
        department_name: 'Support',
        role: 'Editor',
        transfer: false,
        email: 'grace@example.com',
        granted_by: 'User-483920',
        granted_by_name: 'Ada Lovelace',
        granted_at: AT,
        expires_at: EXPIRY,
      },
    ],
  });

/** The role that an accepted invitation gave. */
export const acceptedInvitation = z
  .object({
    invitation_id: z.string(),
    organization_id: z.string(),
    department_id: z.string().nullable(),
    role: z.enum(ROLES),
  })
  .meta({
    description: 'The invitation is accepted',
    examples: [
      {
        invitation_id: INVITATION,
        organization_id: ORGANIZATION,
        department_id: DEPARTMENT,
        role: 'Editor',
      },
    ],
  });
