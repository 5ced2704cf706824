import { randomUUIDv7 } from 'node:crypto';
import { loggedOutPage } from '@gatehouse/shared/http/failure-page';
import { newSessionId } from '@gatehouse/shared/identity/tokens';
import { digest } from '@gatehouse/sso/digest';
import type { FastifyRequest } from 'fastify';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { randomToken } from '../../packages/sso/login/flow.ts';
import { describePages, expectAccessible, signOut } from '../fixtures/browser.ts';
import { member, newMember } from '../fixtures/members.ts';

const MARKUP = '<img src=x onerror="document.title=\'owned\'">';
const failure = (status: number, code: string, message: string) => ({
  status,
  json: { error: { code, message, details: message, timestamp: '', request_id: 'request-1' } },
});

/** Most answers are played here; test/user/sso tests those of the service. */
describePages('single sign-on', (pages) => {
  const connection = (fields: object = {}) => ({
    json: { protocol: 'saml', name: 'Acme', slug: 'acme', login_url: 'https://evil.example/', ...fields },
  });
  async function find(page: Page, organization: string) {
    await page.getByLabel('Work e-mail or organization').fill(organization);
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  test.each([
    ['an e-mail address', 'Ada@Corp.example', 'domain=corp.example', 'saml', '/saml/login/acme'],
    ['a short name', ' Acme ', 'slug=acme', 'oidc', '/oauth/login/acme'],
  ])('by %s leads to the provider', async (_, organization, query, protocol, path) => {
    const page = await pages.open('/');
    let asked = '';
    await page.route('**/api/v1/auth/sso/discover?*', (route) => {
      asked = new URL(route.request().url()).search;
      return route.fulfill(connection({ protocol }));
    });
    await page.route(`**${path}`, (route) => route.fulfill({ body: 'the provider' }));
    await page.getByRole('link', { name: 'Use single sign-on' }).click();
    await find(page, organization);
    await page.getByText('the provider').waitFor();
    expect(page.url()).toBe(`${pages.url}${path}`);
    expect(asked).toBe(`?${query}`);
  });

  test('a failed login, an unknown address and the end of a logout are accessible pages', async () => {
    const phone = { viewport: { width: 320, height: 600 } };
    const page = await pages.open('/saml/login/nothing', phone);
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect(await overflow()).toBe(0);
    await expectAccessible(page, 'failed-login');
    await page.goto('/nothing');
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
    expect(await overflow()).toBe(0);
    await expectAccessible(page, 'unknown-address');
    const reader = { headers: {}, server: { brand: undefined } } as FastifyRequest;
    await page.route('**/saml/slo/acme', (route) => route.fulfill(loggedOutPage(reader)));
    await page.goto('/saml/slo/acme');
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    expect(await overflow()).toBe(0);
    await expectAccessible(page, 'logged-out');
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  test('is ready again when the back button shows the page as it was', async () => {
    const page = await pages.open('/sso');
    await page.route('**/api/v1/auth/sso/discover?*', (route) => route.fulfill(connection()));
    // The browser stays on the page, as a page that comes back from its cache has stayed.
    await page.route('**/saml/login/acme', (route) => route.fulfill({ status: 204 }));
    const left = page.waitForResponse('**/saml/login/acme');
    await find(page, 'acme');
    await left;
    await page.locator('form[aria-busy=true]').waitFor();
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`);
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await page.locator('form[aria-busy=false]').waitFor();
    const again = page.waitForRequest('**/saml/login/acme');
    await page.getByRole('button', { name: 'Continue' }).click();
    await again;
  });

  test('names the field of an organization that the service does not know', async () => {
    const page = await pages.open('/sso');
    for (const organization of ['nobody', 'ada@nobody.example', 'ada@', '@', '/']) {
      await find(page, organization);
      await page.locator('form[aria-busy=false] .field .error', { hasText: 'No organization' }).waitFor();
    }
    await expectAccessible(page, 'sso-unknown');
  });

  describe('at a directory', () => {
    async function directory(page: Page, name = 'Acme') {
      await page.route('**/api/v1/auth/sso/discover?*', (route) =>
        route.fulfill(connection({ protocol: 'ldap', name })),
      );
      await find(page, 'acme');
      await page.getByLabel('User name').fill('ada');
      await page.getByLabel('Password', { exact: true }).fill('secret');
    }

    test('asks for a user name and a password', async () => {
      const ada = await member(pages.services.db, pages.services.clock);
      const page = await pages.open('/sso');
      let body: unknown;
      await page.route('**/api/v1/auth/ldap', (route) => {
        body = route.request().postDataJSON();
        const access_token = ada.authorization.replace('Bearer ', '');
        return route.fulfill({ json: { access_token, expires_in: 3600, user_id: ada.user_id } });
      });
      await directory(page);
      await expectAccessible(page, 'sso-directory');
      await page.keyboard.press('Enter');
      await page.getByText(ada.email).first().waitFor();
      expect(page.url()).toBe(`${pages.url}/profile`);
      expect(body).toEqual({ connection: 'acme', username: 'ada', password: 'secret' });
    });

    test('refuses in words', async () => {
      const page = await pages.open('/sso');
      await page.route('**/api/v1/auth/ldap', (route) =>
        route.fulfill(failure(401, 'INVALID_CREDENTIALS', 'The user name or the password is wrong.')),
      );
      await directory(page);
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('The user name or the password is wrong.').waitFor();
    });

    test('shows markup in its name as text', async () => {
      const page = await pages.open('/sso');
      await directory(page, MARKUP);
      await page.getByRole('heading', { name: MARKUP }).waitFor();
      expect(await page.title()).not.toBe('owned');
    });
  });

  describe('that has finished', () => {
    /** Stores a login that ended at a provider, for the browser with the cookie. */
    async function finishedLogin(page: Page) {
      const { db, clock } = pages.services;
      const { user_id, email } = await newMember(db);
      const [connection_id, organization_id, slug] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()];
      await db.ssoConnections.insertOne({
        connection_id,
        organization_id,
        slot: 0,
        slug,
        enabled: true,
      } as never);
      const linkedAt = new Date(clock.now());
      await db.ssoIdentities.insertOne({
        identity_id: randomUUIDv7(),
        connection_id,
        subject: 'ada',
        user_id: String(user_id),
        email: email.toLowerCase(),
        created_at: linkedAt,
        updated_at: linkedAt,
      });
      const [code, cookie] = [randomToken(), randomToken()];
      const expires_at = new Date(clock.now() + 60_000);
      await db.ssoSessions.insertOne({
        connection_id,
        subject: 'ada',
        user_id: String(user_id),
        sid: newSessionId(clock.now()),
        login_code: { digest: digest(code), browser: digest(cookie), expires_at },
        expires_at,
      });
      await page.context().addCookies([{ name: 'gatehouse-sso', value: cookie, url: pages.url }]);
      return { code, email };
    }

    test('opens the account, once', async () => {
      const page = await pages.open();
      const { code, email } = await finishedLogin(page);
      await page.goto(`/sso#code=${code}`);
      await page.getByText(email).first().waitFor();
      expect(page.url()).toBe(`${pages.url}/profile`);
      await signOut(page);
      await page.getByText('You are signed out.').waitFor();
      await page.goto(`/sso#code=${code}`);
      await page.getByText('This login was not begun in this browser, or it took too long.').waitFor();
    });

    test('opens nothing in another browser', async () => {
      const { code, email } = await finishedLogin(await pages.open());
      const page = await pages.open(`/sso#code=${code}`);
      await page.getByText('This login was not begun in this browser, or it took too long.').waitFor();
      expect(await page.content()).not.toContain(email);
    });

    test('exchanges the code of the address for a session', async () => {
      const ada = await member(pages.services.db, pages.services.clock);
      const page = await pages.open();
      const calls: { body: unknown; address: string }[] = [];
      await page.route('**/api/v1/auth/sso/exchange', (route) => {
        calls.push({ body: route.request().postDataJSON(), address: page.url() });
        const access_token = ada.authorization.replace('Bearer ', '');
        return route.fulfill({ json: { access_token, expires_in: 3600, user_id: ada.user_id } });
      });
      await page.goto('/sso#code=the-code');
      await page.getByText(ada.email).first().waitFor();
      expect(page.url()).toBe(`${pages.url}/profile`);
      expect(calls).toEqual([{ body: { code: 'the-code' }, address: `${pages.url}/sso` }]);
      await page.goto('/sso');
      await page.getByLabel('Work e-mail or organization').waitFor();
      expect(calls).toHaveLength(1);
    });

    test('says why the code is refused, and offers to begin again', async () => {
      const page = await pages.open();
      await page.route('**/api/v1/auth/sso/exchange', (route) =>
        route.fulfill(failure(403, 'FORBIDDEN', `Ask <b>Ada</b> ${MARKUP}`)),
      );
      await page.goto('/sso#code=old');
      await page.getByRole('alert').getByText(`Ask <b>Ada</b> ${MARKUP}`).waitFor();
      expect(page.url()).toBe(`${pages.url}/sso`);
      await expectAccessible(page, 'sso-refused');
      await page.getByLabel('Work e-mail or organization').waitFor();
      expect(await page.title()).not.toBe('owned');
    });
  });

  test('has an accessible page', async () => {
    const page = await pages.open('/sso');
    await page.getByLabel('Work e-mail or organization').waitFor();
    await expectAccessible(page, 'sso');
  });
});
