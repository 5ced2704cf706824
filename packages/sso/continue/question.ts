import { withTimeout } from '@gatehouse/shared/with-timeout';
import type { Connection } from '../connection-records.ts';
import { askDirectory, canSearch } from '../ldap/ask-directory.ts';
import { asLdap } from '../ldap/directory.ts';
import { askOidcProvider } from '../oidc/ask-provider.ts';
import type { OidcRoutes } from '../oidc/operation.ts';
import { asOidc } from '../oidc/options.ts';
import { openRefreshToken, sealRefreshToken } from '../oidc/refresh-token.ts';
import type { ProviderSession } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import type { Verdict } from './verdict.ts';

/**
 * Asks the provider whether a person may go on.
 * @param store keeps what takes the place of the session's sealed refresh token.
 */
type Question = (session: ProviderSession, store: (sealed: string) => Promise<void>) => Promise<Verdict>;

/** Returns how a provider is asked about a session; undefined if it cannot be, and the session then ends after its hours. */
export function questionOf(
  routes: OidcRoutes,
  connection: Connection,
  { sid, subject, username, refresh_token: sealed }: ProviderSession,
): Question | undefined {
  const { options } = routes;
  if (connection.ldap && username !== undefined) {
    const directory = asLdap(connection);
    return canSearch(directory) ? () => askDirectory(options, directory, { subject, username }) : undefined;
  }
  if (!connection.oidc || sealed === undefined) return undefined;
  const provider = asOidc(connection);
  const isOurs = openRefreshToken(options, provider, sid, sealed) !== undefined;
  if (!isOurs) return undefined;
  return async (current, store) => {
    // The call that had the turn before may have replaced it.
    const refresh_token = openRefreshToken(options, provider, sid, String(current.refresh_token));
    if (refresh_token === undefined)
      throw new SsoRefusal('provider unavailable', 'the refresh token is gone');
    const asking = askOidcProvider(routes, provider, { subject, refresh_token }, (next) =>
      store(sealRefreshToken(options, provider, sid, next)),
    );
    const late = new SsoRefusal('provider unavailable', 'the calls of the refresh took too long');
    return withTimeout(asking, options.loginTimeout, late);
  };
}
