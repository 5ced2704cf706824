import type { ServerMetadata } from 'openid-client';
import type { SsoOptions } from '../dependencies.ts';
import { SsoRefusal } from '../refusal.ts';
import type { OidcConnection } from './options.ts';

/**
 * Returns where a provider answers. At the shared /oauth/callback every answer names its issuer (RFC 9207), which
 * keeps a code of one provider from the token endpoint of another. A provider that does not name itself has an address
 * of its own (RFC 9700 §4.4.2).
 */
export function callbackUrl({ config }: Pick<SsoOptions, 'config'>, { slug, oidc }: OidcConnection): URL {
  const shared = `${config.PUBLIC_URL}/oauth/callback`;
  return new URL(oidc.own_callback ? `${shared}/${slug}` : shared);
}

export const namesIssuer = ({ authorization_response_iss_parameter_supported: supported }: ServerMetadata) =>
  supported === true;

/** @throws {SsoRefusal} when a provider that answers at the shared address has ceased to name its issuer. */
export function checkCallback({ oidc }: OidcConnection, metadata: ServerMetadata): void {
  if (!oidc.own_callback && !namesIssuer(metadata))
    throw new SsoRefusal(
      'message refused',
      'the provider does not name its issuer, so it needs a callback of its own',
    );
}
