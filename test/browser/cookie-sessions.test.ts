import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describePages } from '../fixtures/browser.ts';
import { startHttp } from '../fixtures/gateway.ts';
import { newMember } from '../fixtures/members.ts';

// Chromium resolves these names to this machine, takes them for secure, and gate and blog for hosts of one site.
const GATE = 'gate.site.localhost';
const APP = 'app.site.localhost';
const BLOG = 'blog.site.localhost';
const EVIL = 'evil.localhost';

/** Empty pages, at every name. */
let others: Awaited<ReturnType<typeof startHttp>>;
let port: number;
beforeAll(async () => {
  others = await startHttp((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
  });
  ({ port } = others.server.address() as AddressInfo);
});
afterAll(() => others.stop());

const env = async (url: string) => ({
  PUBLIC_URL: url.replace('localhost', GATE),
  COOKIE_ORIGINS: `http://${APP}:${port}`,
});

describePages(
  'a session in a cookie',
  (pages) => {
    const gate = () => pages.url.replace('localhost', GATE);
    /** Calls from a page. @returns undefined when the page may not read the answer. */
    const call = (page: Page, url: string, init: object = {}) =>
      page.evaluate(
        `fetch(${JSON.stringify(url)}, ${JSON.stringify({ credentials: 'include', ...init })})
          .then(async (answer) => ({ status: answer.status, body: await answer.text() }), () => undefined)`,
      ) as Promise<{ status: number; body: string } | undefined>;
    const login = (email: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-mode': 'cookie' },
      body: JSON.stringify({ email, password: 'secret' }),
    });
    /** A browser in which an account has logged in, on a page of the gateway. */
    async function loggedIn() {
      const ada = await newMember(pages.services.db);
      const page = await pages.open(`${gate()}/health/live`);
      const answer = await call(page, '/api/v1/auth/login', login(ada.email));
      expect(JSON.parse(answer?.body ?? '')).toEqual({
        token_type: 'Cookie',
        expires_in: 3600,
        user_id: ada.user_id,
      });
      const me = async () => (await call(page, '/api/v1/users/me'))?.body ?? '';
      return { ada, page, me };
    }
    /** A page of another origin in the same browser. */
    async function elsewhere(page: Page, host: string) {
      const other = await page.context().newPage();
      await other.goto(`http://${host}:${port}/`);
      return other;
    }

    test('works on the pages of the gateway, whose scripts cannot read it', async () => {
      const { ada, page, me } = await loggedIn();
      expect(await page.evaluate('document.cookie')).toBe('');
      expect(await page.context().cookies()).toMatchObject([
        {
          name: '__Host-gatehouse-session',
          domain: GATE,
          path: '/',
          httpOnly: true,
          secure: true,
          sameSite: 'Lax',
        },
      ]);
      expect(await me()).toContain(ada.email);
      // Somebody types the address.
      const typed = await page.context().newPage();
      expect((await typed.goto(`${gate()}/api/v1/users/me`))?.status()).toBe(200);
      expect((await call(page, '/auth/logout', { method: 'POST' }))?.status).toBe(200);
      expect(await page.context().cookies()).toEqual([]);
    });

    test('works on a page of an allowed origin', async () => {
      const { ada, page } = await loggedIn();
      const app = await elsewhere(page, APP);
      expect((await call(app, `${gate()}/api/v1/users/me`))?.body).toContain(ada.email);
      expect((await call(app, `${gate()}/auth/logout`, { method: 'POST' }))?.status).toBe(200);
      expect(await page.context().cookies()).toEqual([]);
    });

    describe.each([
      // Browsers send the cookie from the first two, and from the third only when somebody follows a link.
      ['another host of the site', BLOG, 403],
      ['another port of the host', GATE, 403],
      ['another site', EVIL, 401],
      ['another site at a number', '127.0.0.1', 401],
    ])('is of no use to a page of %s', (_, host, refused) => {
      test('that sends a form', async () => {
        const { ada, page, me } = await loggedIn();
        const other = await elsewhere(page, host);
        const answered = other.waitForResponse(`${gate()}/auth/logout`);
        await other.evaluate(`
          const form = document.createElement('form');
          Object.assign(form, { method: 'post', action: '${gate()}/auth/logout', enctype: 'text/plain' });
          document.body.append(form);
          form.submit();
        `);
        expect((await answered).status()).toBe(refused);
        expect(await me()).toContain(ada.email);
      });

      test('that calls', async () => {
        const { ada, page, me } = await loggedIn();
        const other = await elsewhere(page, host);
        const blind = { mode: 'no-cors', method: 'POST', body: 'x' };
        const statusOf = async (path: string, init: object) => {
          const answered = other.waitForResponse(gate() + path);
          const seen = await call(other, gate() + path, init);
          return { status: (await answered).status(), seen: seen?.status };
        };
        expect(await statusOf('/auth/logout', blind)).toEqual({ status: refused, seen: 0 });
        expect(await statusOf('/api/v1/users/me', { mode: 'no-cors' })).toEqual({ status: refused, seen: 0 });
        for (const init of [{}, { method: 'DELETE' }]) {
          const answer = await call(other, `${gate()}/api/v1/users/me`, init);
          expect(answer?.body ?? '').not.toContain(ada.email);
          expect(answer?.status).toBe(refused === 403 ? undefined : 401);
        }
        expect(await me()).toContain(ada.email);
      });

      test('that opens the address', async () => {
        const { ada, page, me } = await loggedIn();
        const other = await elsewhere(page, host);
        const answered = other.waitForResponse(`${gate()}/api/v1/users/me`);
        await other.evaluate(`location.href = '${gate()}/api/v1/users/me'`);
        // A navigation from another site carries the cookie.
        expect((await answered).status()).toBe(403);
        await other.waitForURL(`${gate()}/api/v1/users/me`);
        expect(await other.content()).not.toContain(ada.email);
        expect(await me()).toContain(ada.email);
      });

      test('that logs the browser in as somebody else', async () => {
        const { ada, page, me } = await loggedIn();
        const other = await elsewhere(page, host);
        const { email } = await newMember(pages.services.db);
        expect(await call(other, `${gate()}/api/v1/auth/login`, login(email))).toBeUndefined();
        await other.evaluate(`document.cookie = '__Host-gatehouse-session=x.y.z; path=/; secure'`);
        await other.evaluate(
          `document.cookie = '__Host-gatehouse-session=x.y.z; path=/; secure; domain=site.localhost'`,
        );
        expect(await me()).toContain(ada.email);
      });
    });
  },
  { env, expected: 'Access to fetch at' },
);
