import { afterAll, beforeAll } from 'vitest';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { startBrowserLogins } from './browser-login.ts';

export interface WithBrowser {
  service: SsoService;
  browser: Awaited<ReturnType<typeof startBrowserLogins>>;
}

/**
 * Starts the services and a server for browser logins for the tests of a file, and stops them.
 * @param assign receives what was started.
 */
export function withBrowser(assign: (started: WithBrowser) => void): void {
  let started: WithBrowser;
  beforeAll(async () => {
    const service = await startSsoService();
    started = { service, browser: await startBrowserLogins(service) };
    assign(started);
  });
  afterAll(async () => {
    await started.browser.stop();
    await started.service.stop();
  });
}
