import { newEmail } from '@gatehouse/shared/contract/direct';
import { line, oneOf } from '@gatehouse/shared/http/fields';
import { emailKey } from '@gatehouse/shared/identity/email';
import { OPERATOR_LEVELS } from '@gatehouse/shared/identity/operators';
import { z } from 'zod';
import { quotaFields } from '../admin/organizations/set-quotas.ts';
import { name } from '../organizations/names.ts';
import { PLANS } from '../organizations/records.ts';

/** A list in which `keyOf` tells the entries apart. `field` is the one that a fault is about. */
const listOf = <Entry extends z.ZodType>(
  entry: Entry,
  field: string,
  keyOf: (entry: z.output<Entry>) => string,
) =>
  z.array(entry, { error: 'must be a list' }).superRefine((entries, context) => {
    const keys = entries.map(keyOf);
    for (const [index, key] of keys.entries())
      if (keys.indexOf(key) !== index)
        context.addIssue({ code: 'custom', path: [index, field], message: 'is in the list twice' });
  });

const operator = z.strictObject({ email: newEmail, level: oneOf(OPERATOR_LEVELS) });

const department = z.strictObject({ name, plan: oneOf(PLANS) });

const organization = z.strictObject({
  name,
  /** Where several organizations have the name. */
  organization_id: line(200).optional(),
  /** Of each department that `departments` does not name. */
  plan: oneOf(PLANS).optional(),
  /** Null lets the plan decide; what is left out stays as it is. */
  quotas: z.strictObject(quotaFields).partial().optional(),
  owners: z
    .array(newEmail, { error: 'must be a list' })
    .transform((emails) => [...new Set(emails.map(emailKey))])
    .default([]),
  departments: listOf(department, 'name', (each) => each.name).default([]),
});

/** What makes a deployment reproducible. A section that is left out says nothing. */
export const declaration = z.strictObject({
  operators: listOf(operator, 'email', ({ email }) => emailKey(email)).optional(),
  organizations: listOf(organization, 'name', (each) => each.organization_id ?? each.name).optional(),
});

export type Declaration = z.output<typeof declaration>;
export type DeclaredOrganization = z.output<typeof organization>;
