import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type SocialService, startSocialService } from './social-service.ts';

/**
 * Starts the services with providers for the tests of a file, and stops them. Each test begins with honest providers.
 * @param assign receives what was started.
 */
export function withSocial(
  assign: (service: SocialService) => void,
  options?: Parameters<typeof startSocialService>[0],
): void {
  let service: SocialService;
  beforeAll(async () => {
    service = await startSocialService(options);
    assign(service);
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    service.provider.reset();
    service.github.reset();
    const { provider } = service;
    provider.lies.paths = { '/common/v2.0/.well-known/openid-configuration': provider.ofAllTenants };
  });
}
