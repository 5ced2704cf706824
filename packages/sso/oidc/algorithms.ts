import type { ServerMetadata } from 'openid-client';
import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';
import { ALGORITHMS, type OidcConnection } from './options.ts';

/**
 * Returns the algorithms of a discovery document that may sign ID tokens.
 * @throws {SsoRefusal} when there is none.
 */
export function acceptedAlgorithms({
  id_token_signing_alg_values_supported: offered,
}: ServerMetadata): string[] {
  // OpenID Connect Core 1.0 §3.1.3.7 expects RS256 by default.
  const accepted = Array.isArray(offered) ? ALGORITHMS.filter((name) => offered.includes(name)) : ['RS256'];
  if (accepted.length > 0) return accepted;
  throw new SsoRefusal(
    'message refused',
    `the provider signs ID tokens with none of ${ALGORITHMS.join(', ')}`,
  );
}

/**
 * Returns the algorithms that may sign a logout token: that of the connection's last ID token, or else RS256, as far
 * as the provider lists them (Back-Channel Logout 1.0 §2.6). A client registers one algorithm, so a token with
 * another is not the provider's answer to this client.
 */
export function pinnedAlgorithms({ id_token_alg }: OidcConnection, metadata: ServerMetadata): string[] {
  const accepted = acceptedAlgorithms(metadata);
  const pinned = [id_token_alg, 'RS256'].find((name) => name !== undefined && accepted.includes(name));
  return pinned === undefined ? accepted : [pinned];
}

/** Records the algorithm that signed the ID token of a login. Writes only on change. */
export async function rememberAlgorithm(
  { db }: Pick<SsoOptions, 'db'>,
  { connection_id, id_token_alg }: OidcConnection,
  alg: string,
): Promise<void> {
  if (id_token_alg === alg) return;
  await db.ssoConnections.updateOne({ connection_id }, { $set: { id_token_alg: alg } });
}
