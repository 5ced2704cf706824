import { startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey } from '@gatehouse/practice-idp/signing-key';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startGateway } from '../fixtures/gateway.ts';
import { type Answered, send, sendJson } from '../fixtures/http.ts';
import { startServices } from '../fixtures/services.ts';
import { type Answer, answerAt } from '../practice-idp/social-person.ts';
import { type Browser, locationOf, newBrowser } from '../sso/oidc/oidc-service.ts';

const PUBLIC_URL = 'http://localhost:8000';

/** The practice providers that need no password. */
export const PROVIDERS = ['google', 'apple', 'microsoft', 'github'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Starts the practice providers, the services, and a gateway before them. */
export async function startSocialJourney(options: Parameters<typeof startServices>[0] = {}) {
  const practice = await startPracticeIdp({
    port: 0,
    ldapPort: 0,
    gatehouse: PUBLIC_URL,
    key: await createSigningKey(),
  });
  const env = {
    PUBLIC_URL,
    RATE_LIMIT: 'off',
    SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    ...practice.environment,
    ...options.env,
  };
  const services = await startServices({ ...options, env });
  const { db, clock, login: LOGIN_SERVICE_URL, user: USER_SERVICE_URL } = services;
  const gateway = await startGateway({
    env: { ...env, LOGIN_SERVICE_URL, USER_SERVICE_URL },
    clock,
    database: db,
  });
  const { url } = gateway;

  /** Begins a login in a browser. @returns the provider's address. */
  async function begin(browser: Browser, provider: Provider): Promise<string> {
    const begun = await browser(`/social/${provider}/login`);
    expect({ status: begun.status, body: begun.body }).toMatchObject({ status: 303 });
    return locationOf(begun);
  }

  /** The browser brings the provider's answer. Cross-site forms come without a cookie that is SameSite=Lax. */
  async function bring(browser: Browser, { address, fields, isPosted }: Answer): Promise<Answered> {
    const body = new URLSearchParams(fields);
    if (!isPosted) return browser(`${address}?${body}`);
    const headers = { accept: 'text/html' };
    const posted = await send(address.replace(PUBLIC_URL, url), { method: 'POST', headers, body });
    return posted.status === 303 ? browser(locationOf(posted)) : posted;
  }

  /** Goes to a provider and answers there. @returns the answer of the callback. */
  const visit = async (
    provider: Provider,
    form: Record<string, string> = { person: 'ada' },
    browser = newBrowser({ url }),
  ): Promise<Answered> => bring(browser, await answerAt(await begin(browser, provider), form));

  /** Exchanges the code at the end of a login. */
  function exchange(browser: Browser, end: Answered): Promise<Answered> {
    expect({ status: end.status, body: end.body }).toMatchObject({ status: 303 });
    const { origin, pathname, hash } = new URL(locationOf(end));
    expect(origin + pathname).toBe(`${PUBLIC_URL}/sso`);
    return browser.post('/api/v1/auth/sso/exchange', { code: hash.replace('#code=', '') });
  }

  const call = (token: string, method: string, path: string, body?: object): Promise<Answered> => {
    const headers = { authorization: `Bearer ${token}` };
    return body
      ? sendJson(method, `${url}${path}`, body, headers)
      : send(`${url}${path}`, { method, headers });
  };

  /** Logs a person in. @returns the account, and its calls. */
  async function logIn(provider: Provider, form: Record<string, string> = { person: 'ada' }) {
    const browser = newBrowser({ url });
    const { status, body } = await exchange(browser, await visit(provider, form, browser));
    expect({ status, body }).toMatchObject({ status: 200 });
    const { access_token, user_id } = body;
    return {
      browser,
      user_id: String(user_id),
      call: (method: string, path: string, sent?: object) => call(access_token, method, path, sent),
      profile: async () => (await call(access_token, 'GET', '/api/v1/users/me')).body,
    };
  }

  return {
    ...services,
    practice,
    url,
    begin,
    bring,
    visit,
    exchange,
    logIn,
    call,
    newBrowser: () => newBrowser({ url }),
    /** The providers and the services agree on the time. */
    syncClock: () => clock.advance(Math.floor((Date.now() - clock.now()) / 1000)),
    /** Makes every provider answer as usual, and removes every account. */
    async reset() {
      for (const { switches } of Object.values(practice.social)) switches.clear();
      practice.social.apple.forget();
      await Promise.all([db.users.deleteMany({}), db.loginNames.deleteMany({})]);
    },
    async stop() {
      await gateway.stop();
      await services.stop();
      await practice.stop();
    },
  };
}

export type SocialJourney = Awaited<ReturnType<typeof startSocialJourney>>;

/**
 * Starts the journey for the tests of a file, and stops it. Each test begins with its first state.
 * @param assign receives what was started.
 */
export function withSocialJourney(assign: (journey: SocialJourney) => void): void {
  let journey: SocialJourney;
  beforeAll(async () => {
    journey = await startSocialJourney();
    assign(journey);
  });
  afterAll(() => journey.stop());
  beforeEach(async () => {
    await journey.reset();
    journey.syncClock();
  });
}
