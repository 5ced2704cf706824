import type { ServerMetadata } from 'openid-client';
import type { SsoOptions } from '../options.ts';
import type { OidcConnection } from './options.ts';

const offers = ({ scopes_supported: scopes }: ServerMetadata): boolean =>
  Array.isArray(scopes) && scopes.includes('offline_access');

/**
 * Returns the scope of a login. With `offline_access` the provider gives a refresh token, which later tells whether the
 * person may still log in. `prompt=consent` is not sent: most providers do without, and it would ask at every login.
 */
export const scopeOf = ({ oidc }: OidcConnection, metadata: ServerMetadata): string =>
  `openid email profile${offers(metadata) && oidc.offline_access !== false ? ' offline_access' : ''}`;

/** Lets the next login do without `offline_access`: the provider offers it, but not to this client. */
export async function forgoOfflineAccess(
  { db }: Pick<SsoOptions, 'db'>,
  { connection_id, oidc }: OidcConnection,
  metadata: ServerMetadata,
): Promise<void> {
  if (!offers(metadata) || oidc.offline_access === false) return;
  await db.ssoConnections.updateOne(
    { connection_id, 'oidc.issuer': oidc.issuer },
    { $set: { 'oidc.offline_access': false } },
  );
}
