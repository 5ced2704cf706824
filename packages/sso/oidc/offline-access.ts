import type { ServerMetadata } from 'openid-client';

/**
 * Whether a provider offers the scope `offline_access`, with which it gives a refresh token that later tells whether
 * the person may still log in. `prompt=consent` is not sent: most providers do without, and it would ask at every login.
 */
export const offersOfflineAccess = ({ scopes_supported: scopes }: ServerMetadata): boolean =>
  Array.isArray(scopes) && scopes.includes('offline_access');
