import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type OidcService, startOidcService } from './oidc-service.ts';
import { type Provider, startProvider } from './provider.ts';

export interface WithProvider {
  service: OidcService;
  provider: Provider;
  organization: Awaited<ReturnType<OidcService['newOrganization']>>;
}

/**
 * Starts the services and a provider for the tests of a file, and stops them. Each test begins with an honest provider
 * and without connections and identities.
 * @param assign receives what was started.
 */
export function withProvider(
  assign: (started: WithProvider) => void,
  options?: Parameters<typeof startOidcService>[0],
): void {
  let started: WithProvider;
  beforeAll(async () => {
    const service = await startOidcService(options);
    const provider = await startProvider(service.clock);
    started = { service, provider, organization: await service.newOrganization() };
    assign(started);
  });
  afterAll(async () => {
    await started.provider.stop();
    await started.service.stop();
  });
  beforeEach(async () => {
    const { service, provider } = started;
    provider.reset();
    // Discovery documents are kept by connection, and key sets with them.
    await service.db.ssoConnections.deleteMany({});
    await service.db.ssoIdentities.deleteMany({});
  });
}
