/** The address of a resource. */
export const locationOf = (
  { config }: { config: { PUBLIC_URL: string } },
  type: 'Users' | 'Groups',
  id: string,
): string => `${config.PUBLIC_URL}/scim/v2/${type}/${id}`;
