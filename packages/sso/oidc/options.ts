import type { Connection, OidcSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';
import { DEFAULT_LIMITS, type OidcLimits } from './limits.ts';

export type OidcOptions = SsoOptions & OidcLimits;

export const withLimits = (options: SsoOptions): OidcOptions => ({
  ...options,
  ...DEFAULT_LIMITS,
  ...options.oidc,
});

export type OidcConnection = Connection & { oidc: OidcSettings };

export function asOidc(connection: Connection): OidcConnection {
  const { oidc } = connection;
  if (!oidc) throw new SsoRefusal('unknown connection', 'the connection has no settings of OpenID Connect');
  return { ...connection, oidc };
}

/** Calls a provider whose certificate is signed by a custom CA. */
export const trusting = (options: OidcOptions, { ca }: { ca?: string | null | undefined }): OidcOptions => ({
  ...options,
  outbound: { ...options.outbound, agent: options.outbound.agentFor(ca) },
});

/** Seconds by which the provider's clock may differ from ours. */
export const CLOCK_TOLERANCE = 60;

/**
 * The accepted signature algorithms, all asymmetric. With HS256 the client secret, or a public key taken for one,
 * would sign; `none` signs nothing (RFC 8725 §3.1).
 */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
