import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { describePages, expectAccessible, type Pages, signOut } from '../fixtures/browser.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { newMember } from '../fixtures/members.ts';

const PROVIDERS = {
  SOCIAL_PROVIDERS: 'github,google,university',
  ...Object.fromEntries(
    ['GITHUB', 'GOOGLE', 'UNIVERSITY'].flatMap((name) => [
      [`SOCIAL_${name}_CLIENT_ID`, 'client'],
      [`SOCIAL_${name}_CLIENT_SECRET`, 'secret'],
    ]),
  ),
  SOCIAL_UNIVERSITY_ISSUER: 'https://login.example.edu',
  SOCIAL_UNIVERSITY_LABEL: 'Example University',
};

async function submitPassword(page: Page, email: string) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('secret');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/profile');
}

/** How far what is shown has moved since the page was opened, without what a person has caused. */
const LAYOUT_SHIFT = `new Promise((resolve) => new PerformanceObserver((list) =>
  resolve(list.getEntries().reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0)),
).observe({ type: 'layout-shift', buffered: true }) || setTimeout(() => resolve(0), 1_000))`;

/** The newest mail to an address that signs in, once there are so many; it is sent after the answer. */
async function mailed(
  { services }: Pages,
  email: string,
  count = 1,
): Promise<{ code: string; link: string }> {
  const mails = () => services.mailbox.mails.filter(({ recipients }) => recipients.includes(email));
  await expect.poll(() => mails().length).toBe(count);
  const text = mails()[0]?.content.text ?? '';
  return {
    code: String(/\b\d{6}\b/.exec(text)?.[0]),
    link: String(/\S+\/code-login#\S+/.exec(text)?.[0]),
  };
}

describePages(
  'the sign-in page with every way',
  (pages) => {
    test('shows the providers in the order of the settings, and nothing moves', async () => {
      const page = await pages.open('/');
      await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
      const links = page.getByRole('link', { name: 'Continue with' });
      expect(await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')))).toEqual([
        '/social/github/login',
        '/social/google/login',
        '/social/university/login',
      ]);
      expect(await page.evaluate(LAYOUT_SHIFT)).toBeLessThan(0.001);
      await expectAccessible(page, 'sign-in-ways');
      const targets = await page
        .locator('main form .button, .ways .button')
        .evaluateAll((found) => found.map((each) => each.getBoundingClientRect().height));
      expect(Math.min(...targets)).toBeGreaterThanOrEqual(44);
    });

    test('speaks German', async () => {
      const page = await pages.open('/', { locale: 'de-DE' });
      await page.getByRole('button', { name: 'Mit Passkey anmelden' }).waitFor();
      await page.getByRole('link', { name: 'Weiter mit Example University' }).waitFor();
      await expectAccessible(page, 'sign-in-ways-de');
    });

    test('can be walked through with the keyboard', async () => {
      const page = await pages.open('/');
      await page.locator('[name=email]:focus').waitFor();
      const names: string[] = [];
      for (let steps = 0; steps < 9; steps += 1) {
        await page.keyboard.press('Tab');
        names.push(
          await page.evaluate(
            () => document.activeElement?.getAttribute('name') ?? document.activeElement?.textContent ?? '',
          ),
        );
      }
      expect(names.map((name) => name.replace(/\s+/g, ' ').trim())).toEqual([
        'password',
        'Show',
        'Forgot your password?',
        'Sign in',
        'Sign in with a passkey',
        'Continue with GitHub',
        'Continue with Google',
        'Continue with Example University',
        'E-mail me a code',
      ]);
    });

    test('marks the way that was last used on this device', async () => {
      const { email } = await newMember(pages.services.db);
      const page = await pages.open('/');
      await page.getByLabel('E-mail').waitFor();
      expect(await page.getByText('Last used').count()).toBe(0);
      await submitPassword(page, email);
      await signOut(page);
      await page.goto('/');
      await page.locator('.way-field', { hasText: 'Last used' }).waitFor();
      await expectAccessible(page, 'sign-in-last-used');

      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('link', { name: 'E-mail me a code' }).click();
      await page.getByLabel('Six-digit code').waitFor();
      await page.getByLabel('Six-digit code').fill((await mailed(pages, email)).code);
      await page.waitForURL('**/profile');
      await signOut(page);
      await page.goto('/');
      await page.getByRole('link', { name: 'E-mail me a code Last used' }).waitFor();
      expect(await page.getByText('Last used').count()).toBe(1);
    });

    describe('a mailed code', () => {
      test('signs in, from the address that was typed already', async () => {
        const { email } = await newMember(pages.services.db);
        const page = await pages.open('/');
        await page.getByLabel('E-mail').fill(email);
        await page.getByRole('link', { name: 'E-mail me a code' }).click();
        await page.getByText('a code is on its way to').waitFor();
        await page.locator('[name=code]:focus').waitFor();
        await expectAccessible(page, 'code-login');
        await page.reload();
        await page.getByLabel('Six-digit code').fill((await mailed(pages, email)).code);
        await page.waitForURL('**/profile');
        await page.getByText(email).first().waitFor();
      });

      test('is asked for with an address, and again when the first one is wrong', async () => {
        const { email } = await newMember(pages.services.db);
        const page = await pages.open('/code-login');
        await expectAccessible(page, 'code-login-address');
        await page.getByLabel('E-mail').fill(email);
        await page.keyboard.press('Enter');
        await page.getByLabel('Six-digit code').waitFor();
        const { code: first } = await mailed(pages, email);
        await page.getByLabel('Six-digit code').fill(first === '111111' ? '222222' : '111111');
        await page.locator('.field .error', { hasText: 'This code is wrong or has expired.' }).waitFor();
        await page.getByRole('button', { name: 'Send another code' }).click();
        await page.getByText('Another code is on its way.').waitFor();
        await page.getByLabel('Six-digit code').fill((await mailed(pages, email, 2)).code);
        await page.waitForURL('**/profile');
      });

      test('says the same to an address without an account', async () => {
        const page = await pages.open('/code-login');
        await page.getByLabel('E-mail').fill('nobody@example.com');
        await page.keyboard.press('Enter');
        await page.getByText('If there is an account with this address').waitFor();
        await page.getByRole('button', { name: 'Use another address' }).click();
        await page.getByLabel('E-mail').waitFor();
      });

      test('is followed by the second step', async () => {
        const ada = await enrolled(pages.services.db, pages.services.clock);
        const page = await pages.open('/code-login');
        await page.getByLabel('E-mail').fill(ada.email);
        await page.keyboard.press('Enter');
        await page.getByLabel('Six-digit code').fill((await mailed(pages, ada.email)).code);
        await page.getByText('Enter the code that your authenticator app shows.').waitFor();
        await page.getByLabel('Six-digit code').fill(ada.code());
        await page.waitForURL('**/profile');
      });

      test('is in a link that signs in when a button is pressed, and uses nothing up before', async () => {
        const { email } = await newMember(pages.services.db);
        const asking = await pages.open('/code-login');
        await asking.getByLabel('E-mail').fill(email);
        await asking.keyboard.press('Enter');
        await asking.getByLabel('Six-digit code').waitFor();
        const { link } = await mailed(pages, email);
        const scanner = await pages.open(link);
        await scanner.getByText('You are about to sign in as').waitFor();

        const page = await pages.open();
        const calls: string[] = [];
        page.on('request', (request) => calls.push(new URL(request.url()).pathname));
        await page.goto(link);
        await page.getByText(email).waitFor();
        expect(page.url()).toBe(`${pages.url}/code-login`);
        expect(calls.filter((path) => path.startsWith('/api/'))).toEqual([]);
        await expectAccessible(page, 'code-login-link');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.waitForURL('**/profile');

        await scanner.getByRole('button', { name: 'Sign in', exact: true }).click();
        await scanner.getByText('This code is wrong or has expired.').waitFor();
      });
    });

    describe('in a browser that cannot run it', () => {
      test('says that JavaScript is off', async () => {
        const page = await pages.open('/', { javaScriptEnabled: false });
        const sentence = page.locator('noscript p');
        expect(await sentence.isVisible()).toBe(true);
        expect(await sentence.textContent()).toContain('These pages need JavaScript.');
        expect(await page.getByText('Your browser is too old').isVisible()).toBe(false);
      });

      test.each([
        ['has no modules', 'delete HTMLScriptElement.prototype.noModule'],
        ['cannot mix colors', 'CSS.supports = () => false'],
        ['has no CSS object', 'delete window.CSS'],
      ])('says which ones can when it %s', async (_, lack) => {
        const page = await pages.open(undefined, { locale: 'de-DE' });
        await page.route('**/assets/main.*', (route) =>
          route.fulfill({ contentType: 'text/javascript', body: '' }),
        );
        await page.addInitScript(lack);
        await page.goto('/');
        await page.getByText('Ihr Browser ist zu alt für diese Seiten.').waitFor();
      });

      test('says nothing in one that can', async () => {
        const page = await pages.open('/');
        await page.getByLabel('E-mail').waitFor();
        expect(await page.getByText('Your browser is too old').isVisible()).toBe(false);
      });
    });
  },
  { env: { ...PROVIDERS, LOGIN_BY_CODE: 'on' } },
);

describePages(
  'the sign-in page that asks for the e-mail first',
  (pages) => {
    test('asks for the password in a second step', async () => {
      const { email } = await newMember(pages.services.db);
      const page = await pages.open('/');
      await page.getByLabel('E-mail').waitFor();
      expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
      await expectAccessible(page, 'email-first');
      await page.keyboard.type('somebody@example.com');
      await page.keyboard.press('Enter');
      await page.locator('[name=password]:focus').waitFor();
      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByLabel('E-mail').fill(email);
      await page.keyboard.press('Enter');
      await page.locator('[name=password]:focus').waitFor();
      await expectAccessible(page, 'email-first-password');
      await page.keyboard.type('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('The e-mail or the password is wrong.').waitFor();
      await page.getByLabel('Password', { exact: true }).fill('secret');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/profile');
      await page.getByText(email).first().waitFor();
    });

    test('mails a code in place of the password', async () => {
      const { email } = await newMember(pages.services.db);
      const page = await pages.open('/');
      await page.getByLabel('E-mail').fill(email);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'E-mail me a code' }).click();
      await page.getByLabel('Six-digit code').waitFor();
      await page.getByLabel('Six-digit code').fill((await mailed(pages, email)).code);
      await page.waitForURL('**/profile');
    });
  },
  { env: { SIGN_IN_FORM: 'email-first', LOGIN_BY_CODE: 'on' } },
);
