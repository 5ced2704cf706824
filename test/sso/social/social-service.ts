import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'vitest';
import { testClock } from '../../fixtures/clock.ts';
import type { Answered } from '../../fixtures/http.ts';
import { type Browser, locationOf, newBrowser, startOidcService } from '../oidc/oidc-service.ts';
import { CLIENT_ID, CLIENT_SECRET, startProvider } from '../oidc/provider.ts';
import { startGitHub } from './github.ts';

const { privateKey: APPLE_KEY, publicKey: APPLE_PUBLIC_KEY } = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
});

export { APPLE_PUBLIC_KEY };

/** The providers that one OpenID provider of the tests plays. */
const OPENID = ['google', 'microsoft', 'apple', 'gitlab', 'corp'] as const;

/**
 * Starts the services with providers of social login. One server plays those with OpenID Connect: as whom it answers
 * depends on the redirect URI, which it does not check.
 */
export async function startSocialService({
  env = {},
  ...options
}: Parameters<typeof startOidcService>[0] = {}) {
  const clock = testClock();
  const [provider, github] = await Promise.all([startProvider(clock), startGitHub()]);
  const settings = OPENID.flatMap((name) => {
    const issuer = name === 'microsoft' ? `${provider.issuer}/common/v2.0` : provider.issuer;
    const prefix = `SOCIAL_${name.toUpperCase()}`;
    return [
      [`${prefix}_CLIENT_ID`, CLIENT_ID],
      [`${prefix}_CLIENT_SECRET`, CLIENT_SECRET],
      [`${prefix}_ISSUER`, issuer],
    ];
  });
  const service = await startOidcService({
    ...options,
    clock,
    env: {
      SOCIAL_PROVIDERS: [...OPENID, 'github'].join(),
      ...Object.fromEntries(settings),
      SOCIAL_APPLE_TEAM_ID: 'TEAM',
      SOCIAL_APPLE_KEY_ID: 'KEY',
      SOCIAL_APPLE_PRIVATE_KEY: APPLE_KEY.export({ type: 'pkcs8', format: 'pem' }).toString(),
      SOCIAL_GITHUB_CLIENT_ID: CLIENT_ID,
      SOCIAL_GITHUB_CLIENT_SECRET: CLIENT_SECRET,
      SOCIAL_GITHUB_ISSUER: github.issuer,
      ...env,
    },
  });

  /** Begins a login and lets the provider answer. @returns the address to which it sends the browser. */
  async function beginSocial(name: string, browser: Browser, query = ''): Promise<string> {
    const begun = await browser(`/social/${name}/login${query}`);
    expect(begun.status).toBe(303);
    return locationOf(await browser(locationOf(begun)));
  }

  /** Logs in. @returns the answer of the callback. */
  async function socialLogin(name: string, browser = newBrowser(service)): Promise<Answered> {
    return browser(await beginSocial(name, browser));
  }

  /** Exchanges the code that the answer of a callback holds. */
  const exchange = (answered: Answered, browser: Browser) => {
    const code = /\/sso#code=([\w-]+)$/.exec(locationOf(answered))?.[1];
    if (code === undefined) throw new Error(`no code: ${answered.status} ${JSON.stringify(answered.body)}`);
    return browser.post('/api/v1/auth/sso/exchange', { code });
  };

  /** Runs a whole login. @returns the answer of the exchange. */
  async function enter(name: string, browser = newBrowser(service)): Promise<Answered> {
    return exchange(await socialLogin(name, browser), browser);
  }

  return {
    ...service,
    provider,
    github,
    beginSocial,
    socialLogin,
    exchange,
    enter,
    async stop() {
      await Promise.all([provider.stop(), github.stop()]);
      await service.stop();
    },
  };
}

export type SocialService = Awaited<ReturnType<typeof startSocialService>>;
