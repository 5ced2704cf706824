import type { AttributeNames } from './records.ts';

/** A person as their provider describes them, after every check of the protocol. */
export interface Profile {
  /** The provider's permanent identifier: NameID (SAML), sub (OpenID Connect), DN or entry UUID (LDAP). */
  subject: string;
  email: string | undefined;
  /** Whether the provider vouches for the address. */
  emailVerified: boolean;
  firstName: string | undefined;
  lastName: string | undefined;
  role: string | undefined;
  department: string | undefined;
}

/** Returns the mapped attributes of a provider's message; of a list the first value counts. */
export function mapAttributes(
  attributes: Record<string, unknown>,
  names: AttributeNames,
): Omit<Profile, 'subject' | 'emailVerified'> {
  const firstValue = (name: string): string | undefined => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' && first.trim() !== '' ? first.trim() : undefined;
  };
  return {
    email: firstValue(names.email),
    firstName: firstValue(names.firstName),
    lastName: firstValue(names.lastName),
    role: firstValue(names.role),
    department: firstValue(names.department),
  };
}

/** Returns the attributes that a profile lacks. */
export const missingAttributes = (
  profile: Omit<Profile, 'subject' | 'emailVerified'>,
): (keyof AttributeNames)[] =>
  (['email', 'firstName', 'lastName', 'role', 'department'] as const).filter(
    (name) => profile[name] === undefined,
  );
