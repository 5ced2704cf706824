/** Who granted the memberships that a connection manages; it changes no others. */
export const grantedBy = (connection_id: string): string => `sso:${connection_id}`;
