/** Returns the source of the permission table: the roles that have each permission. */
export function permissionsSource(
  table: readonly (readonly [permission: string, roles: readonly string[]])[],
): string {
  const rows = table.map(
    ([permission, roles]) => `  ${JSON.stringify(permission)}: ${JSON.stringify(roles)},`,
  );
  return `// Written by \`npm run client\` from the permission table of the services. Do not edit.

/** The roles that have each permission. */
export const PERMISSIONS = {
${rows.join('\n')}
} as const;
`;
}
