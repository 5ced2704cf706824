import { createGatehouse, memoryStorage } from 'gatehouse';
import { GatehouseProvider, SignedIn, SignedOut } from 'gatehouse/react';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describePages } from '../fixtures/browser.ts';
import { startHttp } from '../fixtures/gateway.ts';
import { newMember } from '../fixtures/members.ts';

test('a server renders neither side: it does not know the session', () => {
  const client = createGatehouse({ url: 'http://127.0.0.1:9', storage: memoryStorage() });
  const side = (component: typeof SignedIn, text: string) => createElement(component, null, text);
  const both = [side(SignedIn, 'in'), side(SignedOut, 'out')];
  expect(renderToString(createElement(GatehouseProvider, { client }, ...both))).toBe('');
});

describePages('a React app at another origin', (pages) => {
  let app: Awaited<ReturnType<typeof startHttp>>;
  beforeAll(async () => {
    const bundle = await rolldown({
      input: 'test/browser/client-app.ts',
      platform: 'browser',
      transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    });
    const { output } = await bundle.generate({ format: 'esm' });
    await bundle.close();
    app = await startHttp((request, response) => {
      const isScript = request.url === '/app.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript
          ? output[0].code
          : '<!doctype html><title>App</title><script type="module" src="/app.js"></script>',
      );
    });
  });
  afterAll(() => app.stop());

  test('signs in for both tabs, extends the session once, and signs out of both', async () => {
    const account = await newMember(pages.services.db, { name: 'Ada' });
    const first = await pages.open();
    const second = await first.context().newPage();
    const refreshes: string[] = [];
    const tabs = [first, second];
    for (const tab of tabs) {
      tab.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/auth/refresh'))
          refreshes.push(request.url());
      });
      await tab.goto(`${app.url}/?gateway=${encodeURIComponent(pages.url)}`);
      await tab.getByRole('button', { name: 'Sign in' }).waitFor();
    }
    await first.locator('[name=email]').fill(account.email);
    await first.locator('[name=password]').fill('secret');
    await first.getByRole('button', { name: 'Sign in' }).click();
    for (const tab of tabs) await tab.getByRole('button', { name: 'Read' }).waitFor();

    // Half of the token's life is over.
    await first.evaluate(() => {
      const session = JSON.parse(localStorage.getItem('gatehouse.session') ?? '');
      const value = JSON.stringify({
        ...session,
        issuedAt: Date.now() - 3_500_000,
        expiresAt: Date.now() + 20_000,
      });
      localStorage.setItem('gatehouse.session', value);
      dispatchEvent(new StorageEvent('storage', { key: 'gatehouse.session' }));
    });
    await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Read' }).click()));
    for (const tab of tabs) await tab.locator('#name', { hasText: 'Ada' }).waitFor();
    expect(refreshes).toHaveLength(1);

    await second.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of tabs) await tab.locator('#status', { hasText: 'signed-out' }).waitFor();
    expect(await first.evaluate(() => localStorage.length)).toBe(0);
  });
});
