import {
  allowInsecureRequests,
  Configuration,
  clockSkew,
  clockTolerance,
  customFetch,
  type ServerMetadata,
} from 'openid-client';
import type { OidcClient } from './oidc-client.ts';
import { CLOCK_TOLERANCE, type OidcOptions, trusting } from './options.ts';
import { providerFetch } from './provider-fetch.ts';

/**
 * Returns what openid-client needs to know of a provider and of our client there.
 * @param signal ends the calls to the provider.
 */
export function configurationOf(
  options: OidcOptions,
  client: OidcClient,
  metadata: ServerMetadata,
  signal = AbortSignal.timeout(options.loginTimeout),
): Configuration {
  const { outbound, now } = trusting(options, client);
  const configuration = new Configuration(
    metadata,
    client.client_id,
    // openid-client reads the system's clock.
    { [clockSkew]: Math.round((now() - Date.now()) / 1000), [clockTolerance]: CLOCK_TOLERANCE },
    client.authentication(metadata),
  );
  configuration[customFetch] = providerFetch(outbound, signal);
  configuration.timeout = undefined;
  if (client.issuer.startsWith('http:')) allowInsecureRequests(configuration);
  return configuration;
}
