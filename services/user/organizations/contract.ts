import { z } from 'zod';

/** Values of examples. */
export const ORGANIZATION = '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21';
export const DEPARTMENT = '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52';
export const AT = '2026-01-15T09:30:00.000Z';

/** The fields of an archived place; a place that is not archived lacks them. */
export const archiveFields = {
  archived_at: z.string().meta({ format: 'date-time' }).exactOptional(),
  deletes_at: z
    .string()
    .meta({ format: 'date-time', description: 'When the archived place is deleted for good' })
    .exactOptional(),
};

/** An organization that requires no second factor lacks it. */
const requiredFactor = z
  .object({
    required_since: z.string().meta({ format: 'date-time' }),
    grace_ends_at: z.string().meta({
      format: 'date-time',
      description: 'From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`',
    }),
  })
  .exactOptional();

export const organizationRecord = z
  .object({
    organization_id: z.string(),
    name: z.string(),
    created_at: z.string().meta({ format: 'date-time' }),
    second_factor: requiredFactor,
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
