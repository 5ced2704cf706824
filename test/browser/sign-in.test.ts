import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { member, newMember } from '../fixtures/members.ts';

const PASSWORD = 'secret'; // of newMember()

async function fillIn(page: Page, email: string, password = PASSWORD) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
}
async function submit(page: Page, email: string, password?: string) {
  await fillIn(page, email, password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

describePages('signing in', (pages) => {
  const account = (fields?: object) => newMember(pages.services.db, fields);

  test('shows the profile', async () => {
    const { email } = await account();
    const page = await pages.open('/');
    await expectAccessible(page, 'sign-in');
    await submit(page, email);
    await page.waitForURL('**/profile');
    await page.getByText(email).first().waitFor();
  });

  test('works with the keyboard alone', async () => {
    const { email } = await account();
    const page = await pages.open('/login');
    await page.locator('[name=email]:focus').waitFor();
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/profile');
  });

  test('stays on the page that was asked for', async () => {
    const { email } = await account();
    const page = await pages.open('/profile?tab=1');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await submit(page, email);
    await page.getByText(email).first().waitFor();
    expect(page.url()).toBe(`${pages.url}/profile?tab=1`);
  });

  test('leads somebody who is signed in from / to the profile', async () => {
    const ada = await member(pages.services.db, pages.services.clock);
    const page = await pages.openAs(ada, '/');
    await page.waitForURL('**/profile');
    await page.getByText(ada.email).first().waitFor();
  });

  test('asks an account with a second factor for its code', async () => {
    const ada = await enrolled(pages.services.db, pages.services.clock);
    const page = await pages.open('/');
    await submit(page, ada.email);
    const code = page.getByLabel('Six-digit code');
    await code.waitFor();
    await expectAccessible(page, 'second-step');
    const wrong = ada.code() === '000000' ? '111111' : '000000';
    await code.fill(wrong);
    await page.getByText('This code is not right, or was used before.').waitFor();
    await code.fill(ada.code());
    await page.waitForURL('**/profile');
    await page.getByText(ada.email).first().waitFor();
  });

  test('accepts a recovery code for a lost device', async () => {
    const { db, clock } = pages.services;
    const ada = await enrolled(db, clock);
    const page = await pages.open('/');
    await submit(page, ada.email);
    await page.getByRole('button', { name: 'Lost your device?' }).click();
    await page.getByLabel('Recovery code').fill(String(ada.recoveryCodes[0]).toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/profile');
    const stored = await db.users.findOne({ _id: ada._id });
    expect(stored?.second_factor?.recovery_codes).toHaveLength(1);
  });

  test('refuses a wrong password and keeps what was typed', async () => {
    const { email } = await account();
    const page = await pages.open('/');
    await submit(page, email, 'wrong');
    await page.getByRole('alert').getByText('The e-mail or the password is wrong.').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    await expectAccessible(page, 'sign-in-refused');
    await submit(page, email);
    await page.waitForURL('**/profile');
  });

  test('shows the password on demand', async () => {
    const page = await pages.open('/');
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('secret');
    expect(await password.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await password.getAttribute('type')).toBe('text');
    expect(await password.inputValue()).toBe('secret');
  });

  test('leads an unverified account to the form that creates it again', async () => {
    const { email } = await account({ verified: false, account_status: 'paused', user_id: undefined });
    const page = await pages.open('/');
    await submit(page, email);
    await page.getByText('The account of this address has never been verified.').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    expect(pages.services.mailbox.mails.some(({ recipients }) => recipients.includes(email))).toBe(false);
    await expectAccessible(page, 'sign-up-unverified');
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Password').fill('another password');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Six-digit code').waitFor();
    await page.getByLabel('Six-digit code').fill(pages.codeFor(email));
    await page.waitForURL('**/profile');
    await page.getByText(email).first().waitFor();
  });

  test('makes one call of a double submit', async () => {
    const { email } = await account();
    const page = await pages.open('/');
    let calls = 0;
    await page.route('**/api/v1/auth/login', async (route) => {
      calls += 1;
      await route.continue();
    });
    await fillIn(page, email);
    await page.getByRole('button', { name: 'Sign in', exact: true }).dblclick();
    await page.waitForURL('**/profile');
    expect(calls).toBe(1);
  });

  test('keeps the token out of cookies, and a reload keeps the session', async () => {
    const { email } = await account();
    const page = await pages.open('/');
    await submit(page, email);
    await page.waitForURL('**/profile');
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('({ ...localStorage })')).toEqual({ 'gatehouse.last-way': 'password' });
    await page.reload();
    await page.getByText(email).first().waitFor();
  });

  test('refuses a token that was pasted into the storage by hand', async () => {
    const page = await pages.openAs({ authorization: 'Bearer <img src=x onerror=alert(1)>' });
    await page.getByText('Your session has ended. Please sign in again.').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('speaks German to those who prefer it', async () => {
    const page = await pages.open('/', { locale: 'de-AT' });
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await expectAccessible(page, 'sign-in-de');
  });

  describe('a forgotten password', () => {
    test('is replaced with a mailed code', async () => {
      const { email } = await account();
      const page = await pages.open('/');
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByLabel('E-mail').fill(email);
      await expectAccessible(page, 'forgot');
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.waitForURL('**/reset');
      await page.getByLabel('Six-digit code').fill(pages.codeFor(email));
      await page.locator('[name=new_password]:focus').waitFor();
      await expectAccessible(page, 'reset');
      await page.keyboard.type('a new password');
      await page.keyboard.press('Enter');
      await page.getByText('Your password has been changed. Sign in with the new one.').waitFor();
      await expectAccessible(page, 'sign-in-after-reset');
      expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
      await page.getByLabel('Password', { exact: true }).fill('a new password');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/profile');
    });

    test('keeps the focus that a code filled in at once has moved', async () => {
      const { email } = await account();
      const page = await pages.open('/forgot');
      await page.evaluate(() => {
        new MutationObserver((_, observer) => {
          const code = document.querySelector<HTMLInputElement>('[name=otp]');
          if (!code) return;
          observer.disconnect();
          code.value = '123456';
          code.dispatchEvent(new InputEvent('input', { bubbles: true }));
        }).observe(document, { childList: true, subtree: true });
      });
      await page.getByLabel('E-mail').fill(email);
      await page.keyboard.press('Enter');
      await page.getByLabel('Six-digit code').waitFor();
      await page.evaluate(
        () => new Promise((painted) => setTimeout(() => requestAnimationFrame(painted), 200)),
      );
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('new_password');
    });

    test('is refused beside the field for an unknown address', async () => {
      const page = await pages.open('/forgot');
      await page.getByLabel('E-mail').fill('nobody@example.com');
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.locator('.field .error', { hasText: 'There is no account with this address.' }).waitFor();
    });

    test('takes a wrong and then an expired code beside the field', async () => {
      const { email } = await account();
      const page = await pages.open('/forgot');
      await page.getByLabel('E-mail').fill(email);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/reset');
      const right = pages.codeFor(email);
      await page.getByLabel('Six-digit code').fill(right === '111111' ? '222222' : '111111');
      await page.getByLabel('New password').fill('a new password');
      await page.keyboard.press('Enter');
      await page.locator('.field .error', { hasText: 'wrong or has expired' }).waitFor();
      pages.services.clock.advance(61);
      await page.getByLabel('Six-digit code').fill(right);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.locator('.field .error', { hasText: 'wrong or has expired' }).waitFor();
      await page.getByRole('button', { name: 'Send another code' }).click();
      await page.getByText('Another code is on its way.').waitFor();
      await page.getByLabel('Six-digit code').fill(pages.codeFor(email));
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Your password has been changed.').waitFor();
    });
  });

  describe('when the server is slow or gone', () => {
    test('says so, keeps what was typed, and works when the server is back', async () => {
      const { email } = await account();
      const page = await pages.open('/');
      await fillIn(page, email);
      await pages.stopGateway();
      try {
        await page.keyboard.press('Enter');
        await page.getByText('The server did not answer. Please try again.').waitFor();
        expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
      } finally {
        await pages.startGateway();
      }
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/profile');
    });

    test('offers to load a page again whose module did not arrive', async () => {
      const page = await pages.open('/');
      await page.getByLabel('E-mail').waitFor();
      await page.route('**/assets/sign-up.*', (route) => route.abort());
      await page.getByRole('link', { name: 'Create an account' }).click();
      await page.getByText('The server did not answer. Please try again.').waitFor();
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByLabel('Name').waitFor();
    });

    test('says that the browser is offline', async () => {
      const page = await pages.open('/');
      await fillIn(page, 'ada@example.com');
      await page.context().setOffline(true);
      await page.keyboard.press('Enter');
      await page.getByText('You are offline. Check your connection and try again.').waitFor();
    });

    test('shows that a slow sign-in is under way', async () => {
      const page = await pages.open('/');
      await page.route('**/api/v1/auth/login', () => {}); // never answers
      await submit(page, 'ada@example.com');
      await page.locator('form[aria-busy=true]').waitFor();
      expect(
        await page.getByRole('button', { name: 'Sign in', exact: true }).getAttribute('aria-disabled'),
      ).toBe('true');
    });

    test('shows the request ID of a failure of the server', async () => {
      const page = await pages.open('/');
      await page.route('**/api/v1/auth/login', (route) =>
        route.fulfill({
          status: 503,
          json: { error: { code: 'SERVICE_UNAVAILABLE', message: '<b>no</b>', request_id: 'request-1' } },
        }),
      );
      await submit(page, 'ada@example.com');
      await page.getByText('Something is not working on our side.').waitFor();
      await page.getByText('request-1').waitFor();
    });

    test.each([
      ['en-US', 42, 'Too many attempts. You can go on in 42 seconds, at '],
      ['en-US', 840, 'Too many attempts. You can go on in 14 minutes, at '],
      ['en-US', 7_201, 'Too many attempts. You can go on in 3 hours, at '],
      ['de-DE', 121, 'Zu viele Versuche. Sie können weitermachen in 3 Minuten, um '],
      ['de-DE', 86_400, 'Zu viele Versuche. Sie können weitermachen in 24 Stunden, um '],
    ])('says in %s how long to wait after too many attempts: %i seconds', async (locale, seconds, text) => {
      const page = await pages.open('/', { locale });
      await page.route('**/api/v1/auth/login', (route) =>
        route.fulfill({ status: 429, headers: { 'retry-after': String(seconds) }, json: {} }),
      );
      await page.locator('[name=email]').fill('ada@example.com');
      await page.locator('[name=password]').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByText(text).waitFor();
    });
  });
});
