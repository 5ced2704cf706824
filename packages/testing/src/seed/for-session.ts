import type { Role } from '@gatehouse/shared/access/rbac';
import type { LoginContract } from '@gatehouse/shared/identity/begin-session';
import type { SeedInput, SeedPerson } from './schema.ts';

/** Whose session a test wants. */
export interface OneSession {
  email: string;
  name?: string;
  /** The plan of a person who is created. */
  plan?: NonNullable<SeedPerson['plan']>;
  /** The name of an organization; `Example` if there are roles. */
  organization?: string;
  /** `Owner` of the organization, or the role in each department by its name. */
  roles?: 'Owner' | Record<string, Role>;
  /** Whether a second factor was presented; by default not. */
  mfa?: boolean;
  /** The contract of the login: a token of `direct` lives 30 minutes, one of `catalogue` an hour. */
  contract?: LoginContract;
}

/** The seed with the person and what the session needs. Somebody else owns the organization of a member. */
export function seedForSession({
  email,
  name,
  plan,
  organization = 'Example',
  roles,
}: OneSession): SeedInput {
  const person = { email, ...(name !== undefined && { name }), ...(plan && { plan }) };
  if (roles === undefined) return { people: [person] };
  if (roles === 'Owner') return { people: [person], organizations: [{ name: organization, owner: email }] };
  const owner = 'owner@example.com';
  const departments = Object.entries(roles).map(([department, role]) => ({
    name: department,
    members: [{ email, role }],
  }));
  return {
    people: [person, ...(email === owner ? [] : [{ email: owner }])],
    organizations: [{ name: organization, owner, departments }],
  };
}
