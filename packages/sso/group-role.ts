import type { Connection, GroupRole } from './connection-records.ts';
import { dnKey } from './ldap/dn-key.ts';

/** The names of the groups of one connection, and what decides about their roles. */
export type GroupRules = Pick<Connection, 'protocol' | 'group_roles'>;

/** Returns the role of the first row of the connection's table that names one of these groups. */
export function groupRole(
  { protocol, group_roles = [] }: GroupRules,
  groups: readonly string[],
): GroupRole['role'] | undefined {
  const keyOf = (name: string) => (protocol === 'ldap' ? dnKey(name) : name);
  const keys = new Set(groups.map(keyOf));
  return group_roles.find(({ group }) => keys.has(keyOf(group)))?.role;
}
