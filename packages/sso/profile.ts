import { ROLES } from '@gatehouse/shared/access/rbac';
import type { AttributeNames, Connection, GroupRole } from './connection-records.ts';
import { dnKey } from './ldap/dn-key.ts';

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

/** The group table of a connection, and the protocol, which decides how names of groups are compared. */
type GroupRules = Pick<Connection, 'protocol' | 'group_roles'>;

/** The settings that map the attributes of a provider. */
export type AttributeRules = GroupRules & { attributes: AttributeNames };

/**
 * Returns the mapped attributes of a provider's message. A list gives its first value. The role follows the
 * group table of the connection, or else is the first role that we know: providers such as Keycloak list roles of
 * their own first.
 */
export function mapAttributes(
  attributes: Record<string, unknown>,
  rules: AttributeRules,
): Omit<Profile, 'subject' | 'emailVerified'> {
  const names = rules.attributes;
  const valuesOf = (name: string): unknown[] =>
    [Object.hasOwn(attributes, name) ? attributes[name] : []].flat();
  const firstValue = (name: string): string | undefined => textOf(valuesOf(name)[0]);
  const roles = valuesOf(names.role).flatMap((value) => textOf(value) ?? []);
  return {
    email: firstValue(names.email),
    firstName: firstValue(names.firstName),
    lastName: firstValue(names.lastName),
    role: groupRole(rules, roles) ?? roles.find(isRole) ?? roles[0],
    department: firstValue(names.department),
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

const isRole = (name: string): boolean => ROLES.some((role) => role.toLowerCase() === name.toLowerCase());

/** Returns the role of the first row of the connection's table that names one of these groups. */
export function groupRole(
  { protocol, group_roles = [] }: GroupRules,
  groups: readonly string[],
): GroupRole['role'] | undefined {
  const keyOf = (name: string) => (protocol === 'ldap' ? dnKey(name) : name);
  const keys = new Set(groups.map(keyOf));
  return group_roles.find(({ group }) => keys.has(keyOf(group)))?.role;
}

/** Returns the attributes that a profile lacks. */
export const missingAttributes = (
  profile: Omit<Profile, 'subject' | 'emailVerified'>,
): (keyof AttributeNames)[] =>
  (['email', 'firstName', 'lastName', 'role', 'department'] as const).filter(
    (name) => profile[name] === undefined,
  );
