import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gatehouse, startGatehouse } from '@gatehouse/testing';
import type { Browser, Page } from 'playwright-core';
import { build, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startExample } from '../examples/start-example.ts';
import { launchChromium, noChromium } from '../fixtures/browser.ts';
import { freePorts } from '../fixtures/launcher.ts';

/** Drives examples/react-app with the Express API of examples/express-api, as the guides end. */
describe.skipIf(noChromium)('the React app', () => {
  const stack = new AsyncDisposableStack();
  let gate: Gatehouse;
  let url: string;
  let browser: Browser;
  beforeAll(async () => {
    const [gatewayPort = 0, apiPort, pagePort = 0] = await freePorts(3);
    const gateway = `http://localhost:${gatewayPort}`;
    const folder = await mkdtemp(join(tmpdir(), 'react-app-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const environment = { PORT: String(apiPort), GATEHOUSE_URL: gateway };
    const api = stack.adopt(await startExample('express-api/api.ts', environment), (each) => each.stop());
    gate = stack.use(await startGatehouse({ port: gatewayPort, env: { UPSTREAM_SELECTION: api.url } }));
    const app = {
      root: 'examples/react-app',
      cacheDir: join(folder, 'cache'),
      define: { 'import.meta.env.VITE_GATEHOUSE_URL': JSON.stringify(gateway) },
      build: { outDir: join(folder, 'dist'), emptyOutDir: false },
      preview: { host: '127.0.0.1', port: pagePort, strictPort: true },
      logLevel: 'warn' as const,
    };
    await build(app);
    stack.adopt(await preview(app), (server) => server.close());
    url = `http://127.0.0.1:${pagePort}`;
    browser = await launchChromium();
  });
  afterAll(() => stack.disposeAsync());

  async function open(): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }
  const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const fill = (page: Page, label: string, value: string) =>
    page.getByLabel(label, { exact: true }).fill(value);
  const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();

  test('signs up with a second code after the first expired, signs in, and calls the API', async () => {
    const page = await open();
    await click(page, 'Create an account');
    await fill(page, 'Name', 'Ada Lovelace');
    await fill(page, 'E-mail', 'ada@example.com');
    await fill(page, 'Password', 'correct-horse');
    await click(page, 'Sign up');
    const late = await gate.code('ada@example.com');
    await gate.clock.advance('61s');
    await fill(page, 'Code', late);
    await click(page, 'Confirm');
    await alert(page, 'OTP expired');
    await click(page, 'Send another code');
    await fill(page, 'Code', await gate.code('ada@example.com'));
    await click(page, 'Confirm');

    await fill(page, 'E-mail', 'ada@example.com');
    await fill(page, 'Password', 'wrong-horse');
    await click(page, 'Sign in');
    await page.getByRole('alert').waitFor();
    await fill(page, 'E-mail', 'ada@example.com');
    await fill(page, 'Password', 'correct-horse');
    await click(page, 'Sign in');
    await page.getByText('Ada Lovelace (ada@example.com)').waitFor();
    await fill(page, 'Note', 'Call Charles');
    await click(page, 'Add');
    await page.getByRole('listitem').filter({ hasText: 'Call Charles' }).waitFor();

    await page.reload();
    await page.getByRole('listitem').filter({ hasText: 'Call Charles' }).waitFor();
    await click(page, 'Sign out');
    await page.getByRole('button', { name: 'Create an account' }).waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.context().close();
  });
});
