import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  clockSkew,
  clockTolerance,
  customFetch,
  None,
  type ServerMetadata,
} from 'openid-client';
import { SsoRefusal } from '../refusal.ts';
import { CLOCK_TOLERANCE, type OidcConnection, type OidcOptions, trusting } from './options.ts';
import { providerFetch } from './provider-fetch.ts';

/** @param signal ends the calls of the client. */
export function clientOf(
  options: OidcOptions,
  { connection_id, oidc }: OidcConnection,
  metadata: ServerMetadata,
  signal = AbortSignal.timeout(options.loginTimeout),
): Configuration {
  const { secrets, outbound, now } = trusting(options, oidc);
  const secret = oidc.client_secret === null ? null : secrets.open(oidc.client_secret, connection_id);
  const client = new Configuration(
    metadata,
    oidc.client_id,
    // openid-client reads the system's clock.
    { [clockSkew]: Math.round((now() - Date.now()) / 1000), [clockTolerance]: CLOCK_TOLERANCE },
    secret === null ? None() : authentication(metadata, secret),
  );
  client[customFetch] = providerFetch(outbound, signal);
  client.timeout = undefined;
  if (oidc.issuer.startsWith('http:')) allowInsecureRequests(client);
  return client;
}

/** OpenID Connect Discovery 1.0 §3: client_secret_basic is the default. */
function authentication({ token_endpoint_auth_methods_supported: offered }: ServerMetadata, secret: string) {
  if (!Array.isArray(offered) || offered.includes('client_secret_basic')) return ClientSecretBasic(secret);
  if (offered.includes('client_secret_post')) return ClientSecretPost(secret);
  throw new SsoRefusal(
    'provider refused',
    'the provider accepts neither client_secret_basic nor client_secret_post at its token endpoint',
  );
}
