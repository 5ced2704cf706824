import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  None,
  type ServerMetadata,
} from 'openid-client';
import { SsoRefusal } from '../refusal.ts';
import type { OidcConnection, OidcOptions } from './options.ts';

/** Our client at an OpenID provider, which belongs to an organization's connection or to social login. */
export interface OidcClient {
  /** Under which the documents of the provider are kept. */
  id: string;
  /** Another version reads them again. */
  version: number;
  issuer: string;
  /**
   * The issuer of a provider with many tenants, with `{tenantid}` in place of the claim `tid`. The discovery document
   * then names it, and each ID token the issuer of its tenant.
   */
  tenants?: string;
  client_id: string;
  /** Certificates in PEM that vouch for the provider, instead of those of the system. */
  ca?: string | null | undefined;
  /** Proves at the token endpoint who the client is. */
  authentication(metadata: ServerMetadata): ClientAuth;
}

/** Returns the client of a connection. */
export const clientOf = (
  { secrets }: Pick<OidcOptions, 'secrets'>,
  { connection_id, updated_at, oidc: { issuer, client_id, client_secret, ca } }: OidcConnection,
): OidcClient => ({
  id: connection_id,
  version: updated_at.getTime(),
  issuer,
  client_id,
  ca,
  authentication: (metadata) =>
    client_secret === null
      ? None()
      : secretAuthentication(metadata, secrets.open(client_secret, connection_id)),
});

/** OpenID Connect Discovery 1.0 §3: client_secret_basic is the default. */
export function secretAuthentication(
  { token_endpoint_auth_methods_supported: offered }: ServerMetadata,
  secret: string,
): ClientAuth {
  if (!Array.isArray(offered) || offered.includes('client_secret_basic')) return ClientSecretBasic(secret);
  if (offered.includes('client_secret_post')) return ClientSecretPost(secret);
  throw new SsoRefusal(
    'provider refused',
    'the provider accepts neither client_secret_basic nor client_secret_post at its token endpoint',
  );
}
