import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { newMember } from '../fixtures/members.ts';

async function submit(page: Page, email: string, password: string) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
const tokenIn = (page: Page) => page.locator('input[name=recaptcha_token]').inputValue();
/** Waits until the widget has put a token into the form. */
const solved = (page: Page) => expect.poll(() => tokenIn(page)).not.toBe('');

describePages(
  'the ALTCHA widget',
  (pages) => {
    test('appears after failed logins, solves a challenge by itself, and lets the login pass', async () => {
      const { email } = await newMember(pages.services.db);
      const page = await pages.open('/');
      const loaded: string[] = [];
      page.on('request', (request) => loaded.push(request.url()));
      for (let failures = 0; failures < 3; failures += 1) {
        const answered = page.waitForResponse('**/api/v1/auth/login');
        await submit(page, email, 'wrong');
        await answered;
        await page.getByRole('alert').waitFor();
        expect(loaded.filter((url) => url.includes('altcha'))).toEqual([]);
      }
      await submit(page, email, 'secret'); // goes on by itself once the challenge is solved
      await page.waitForURL('**/profile');
      await page.getByText(email).first().waitFor();
    });

    test('submits nothing by itself that has been changed meanwhile', async () => {
      const { email } = await newMember(pages.services.db);
      const page = await pages.open('/');
      for (let failures = 0; failures < 3; failures += 1) {
        const answered = page.waitForResponse('**/api/v1/auth/login');
        await submit(page, email, 'wrong');
        await answered;
        await page.getByRole('alert').waitFor();
      }
      const held: (() => Promise<void>)[] = [];
      await page.route('**/captcha/challenge', (route) => void held.push(() => route.continue()));
      await submit(page, email, 'wrong');
      await expect.poll(() => held.length).toBe(1);
      await page.getByLabel('Password', { exact: true }).fill('secre');
      let calls = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/auth/login')) calls += 1;
      });
      await held[0]?.();
      await solved(page);
      await expectAccessible(page, 'captcha-altcha');
      expect(calls).toBe(0);
      await page.getByLabel('Password', { exact: true }).fill('secret');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/profile');
    });

    test('gets another challenge after a failed login', async () => {
      const { email } = await newMember(pages.services.db);
      const page = await pages.open('/');
      for (let failures = 0; failures < 3; failures += 1) {
        const answered = page.waitForResponse('**/api/v1/auth/login');
        await submit(page, email, 'wrong');
        await answered;
        await page.getByRole('alert').waitFor();
      }
      let logins = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/auth/login')) logins += 1;
      });
      await submit(page, email, 'wrong'); // refused without a token, and then because of the password
      await expect.poll(() => logins).toBe(2);
      await page.getByText('The e-mail or the password is wrong.').waitFor();
      await solved(page);
      expect(logins).toBe(2);
      await page.getByLabel('Password', { exact: true }).fill('secret');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/profile');
    });
  },
  { env: { CAPTCHA_PROVIDER: 'altcha' } },
);

describePages(
  'the ALTCHA widget that every login needs',
  (pages) => {
    test('is operated with the keyboard when its token has expired', async () => {
      const { email } = await newMember(pages.services.db);
      const page = await pages.open();
      await page.clock.install();
      await page.goto('/');
      await page.clock.resume();
      await solved(page);
      await page.clock.fastForward('02:01');
      await expect.poll(() => tokenIn(page)).toBe('');
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password', { exact: true }).fill('secret');
      const checkbox = page.getByRole('checkbox');
      await checkbox.focus();
      await page.keyboard.press('Space');
      await solved(page);
      await page.getByLabel('Password', { exact: true }).press('Enter');
      await page.waitForURL('**/profile');
    });

    test('says that it cannot be loaded, and loads on demand', async () => {
      const page = await pages.open();
      await page.route('**/captcha/challenge', (route) => route.fulfill({ status: 503, json: {} }));
      await page.goto('/');
      await page.getByText('The CAPTCHA could not be loaded.').waitFor();
      await expectAccessible(page, 'captcha-failed');
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await solved(page);
    });

    test('speaks German', async () => {
      const page = await pages.open('/', { locale: 'de-DE' });
      await solved(page);
      await page.locator('altcha-widget').getByText('Überprüft').waitFor();
    });
  },
  { env: { CAPTCHA_PROVIDER: 'altcha', CAPTCHA_ON_CATALOGUE_LOGIN: 'always' } },
);

/** Plays a provider's script: the part of its API that pages call, with a button that solves the challenge. */
const scriptOf = (name: string, onload: string) => `
  globalThis.${name} = {
    render(element, options) {
      globalThis.rendered = options;
      const button = document.createElement('button');
      Object.assign(button, { type: 'button', textContent: 'I am a person' });
      button.onclick = () => options.callback('solved by a person');
      element.append(button);
    },
  };
  globalThis.${onload}();
`;

const PROVIDERS = [
  ['recaptcha', 'https://www.google.com/recaptcha/api.js', 'grecaptcha'],
  ['hcaptcha', 'https://js.hcaptcha.com/1/api.js', 'hcaptcha'],
  ['turnstile', 'https://challenges.cloudflare.com/turnstile/v0/api.js', 'turnstile'],
] as const;

for (const [provider, script, name] of PROVIDERS) {
  const env = {
    CAPTCHA_PROVIDER: provider,
    CAPTCHA_SITE_KEY: 'the-site-key',
    CAPTCHA_ON_CATALOGUE_LOGIN: 'always',
    CAPTCHA_ACTION: provider === 'turnstile' ? 'login' : '',
  };
  describePages(
    `the widget of ${provider}`,
    (pages) => {
      async function play(page: Page) {
        await page.route(`${script}?*`, (route) => {
          const onload = new URL(route.request().url()).searchParams.get('onload') ?? '';
          return route.fulfill({ contentType: 'text/javascript', body: scriptOf(name, onload) });
        });
      }
      const rendered = (page: Page, option: string) => page.evaluate(`rendered[${JSON.stringify(option)}]`);

      test('is loaded from the provider, and its token reaches the gateway', async () => {
        const page = await pages.open();
        await play(page);
        let body: unknown;
        await page.route('**/api/v1/auth/login', (route) => {
          body = route.request().postDataJSON();
          return route.fulfill({
            status: 400,
            json: { error: { code: 'CAPTCHA_REQUIRED', message: 'reCAPTCHA validation failed' } },
          });
        });
        await page.goto('/');
        await page.getByRole('button', { name: 'I am a person' }).click();
        expect(await rendered(page, 'sitekey')).toBe('the-site-key');
        expect(await rendered(page, 'action')).toBe(env.CAPTCHA_ACTION || undefined);
        await submit(page, 'ada@example.com', 'secret');
        await page.getByText('Please confirm that you are a person.').waitFor();
        expect(body).toEqual({
          email: 'ada@example.com',
          password: 'secret',
          recaptcha_token: 'solved by a person',
        });
        // The token served one attempt: the form has a new widget without one.
        expect(await tokenIn(page)).toBe('');
        await page.getByRole('button', { name: 'I am a person' }).click();
        expect(await tokenIn(page)).toBe('solved by a person');
      });

      test('loses its token when it expires', async () => {
        const page = await pages.open();
        await play(page);
        await page.goto('/');
        await page.getByRole('button', { name: 'I am a person' }).click();
        await solved(page);
        await page.evaluate(`rendered['expired-callback']()`);
        expect(await tokenIn(page)).toBe('');
      });

      test('says that it cannot be loaded, and loads on demand', async () => {
        const page = await pages.open();
        await page.route(`${script}?*`, (route) => route.abort());
        await page.goto('/');
        await page.getByText('The CAPTCHA could not be loaded.').waitFor();
        await page.unrouteAll();
        await play(page);
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('button', { name: 'I am a person' }).waitFor();
        await page.evaluate(`rendered['error-callback']()`);
        await page.getByText('The CAPTCHA could not be loaded.').waitFor();
      });
    },
    { env },
  );
}
