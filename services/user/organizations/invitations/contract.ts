import { ROLES } from '@gatehouse/shared/access/rbac';
import { z } from 'zod';
import { AT, DEPARTMENT, ORGANIZATION } from '../contract.ts';

/** The reason why an Owner of the organization is neither added to a department nor invited. */
export const ALREADY_OWNER = 'An Owner of the organization is Owner in every department';

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
