import type { createProviders } from './discovery.ts';
import type { OidcOptions } from './options.ts';

/** What the routes of OpenID Connect share. */
export interface OidcRoutes {
  options: OidcOptions;
  providerOf: ReturnType<typeof createProviders>;
}
