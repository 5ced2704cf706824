import { ROLES } from '@gatehouse/shared/access/rbac';
import { newEmail } from '@gatehouse/shared/contract/direct';
import { LANGUAGES } from '@gatehouse/shared/http/language';
import { OPERATOR_LEVELS } from '@gatehouse/shared/identity/operators';
import { z } from 'zod';
import { PLANS } from '../../../../services/user/organizations/records.ts';

export const STATES = ['unverified', 'active', 'paused', 'disabled', 'deleting'] as const;

const plan = z.enum(PLANS);
/** A body of the API, which checks it. */
const body = z.record(z.string(), z.unknown());

const person = z.strictObject({
  email: newEmail,
  name: z.string().min(1).optional(),
  /** Absent for a person who signs in without one: by code, passkey or provider. */
  password: z.string().min(1).max(1024).optional(),
  /** `deleting`: the person has asked for the deletion of the account. */
  state: z.enum(STATES).default('active'),
  /** The secret of an authenticator app, in base32. */
  totp: z
    .string()
    .regex(/^[A-Z2-7]{16,}$/, { error: 'must be base32: at least 16 of A to Z and 2 to 7' })
    .optional(),
  plan: plan.optional(),
  language: z.enum(LANGUAGES).optional(),
  operator: z.enum(OPERATOR_LEVELS).optional(),
});

const withRole = z.strictObject({ email: newEmail, role: z.enum(ROLES) });

const department = z.strictObject({
  name: z.string().min(1),
  /** Paid. By default that of the organization. */
  plan: plan.optional(),
  members: z.array(withRole).default([]),
  /** Invitations that are still to be answered; each is mailed. */
  invitations: z.array(withRole).default([]),
  /** Bodies of `POST /api/v1/chatbots/create`. */
  chatbots: z.array(body).default([]),
  /** Bodies of `POST /api/v1/webhooks/configure`. */
  webhooks: z.array(body).default([]),
});

const organization = z.strictObject({
  name: z.string().min(1),
  owner: newEmail,
  plan: plan.optional(),
  departments: z.array(department).default([]),
  webhooks: z.array(body).default([]),
  /** Bodies of `POST /api/v1/sso/connections`, or the practice provider of a protocol. */
  sso: z.array(z.union([z.strictObject({ practice: z.enum(['saml', 'oidc', 'ldap']) }), body])).default([]),
});

export const seedSchema = z.strictObject({
  people: z.array(person).default([]),
  organizations: z.array(organization).default([]),
});

/** What a file or a test writes. */
export type SeedInput = z.input<typeof seedSchema>;
export type Seed = z.output<typeof seedSchema>;
export type SeedPerson = Seed['people'][number];
export type SeedOrganization = Seed['organizations'][number];
export type SeedDepartment = SeedOrganization['departments'][number];
