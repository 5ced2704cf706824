import { type PracticeIdp, startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey } from '@gatehouse/practice-idp/signing-key';
import type { Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { describePages, expectAccessible, signOut } from '../fixtures/browser.ts';
import { newMember } from '../fixtures/members.ts';

let practice: PracticeIdp;

/** Whole logins and links at the practice providers, through the pages and the services. */
describePages(
  'providers',
  (pages) => {
    afterAll(() => practice.stop());
    beforeEach(() => {
      // The provider and the services agree on the time.
      const { clock } = pages.services;
      clock.advance(Math.floor((Date.now() - clock.now()) / 1000));
    });

    const choose = (page: Page, person: string) => page.getByRole('button', { name: person }).click();
    const done = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

    async function submitPassword(page: Page, email: string) {
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password', { exact: true }).fill('secret');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    }

    test('sign in, to the page that was asked for, and are marked as last used', async () => {
      const page = await pages.open('/profile?part=security');
      await page.getByRole('link', { name: 'Continue with Google' }).click();
      await choose(page, 'Ada Lovelace');
      await page.waitForURL(`${pages.url}/profile?part=security`);
      await page.getByText('Next: set a password.').waitFor();
      await page.getByRole('button', { name: 'Unlink Google' }).waitFor();
      await signOut(page);
      await page.goto('/');
      await page.getByRole('link', { name: 'Continue with Google Last used' }).waitFor();
      await expectAccessible(page, 'sign-in-provider-last-used');
    });

    test('say what went wrong when the person cancels, and lead back', async () => {
      const page = await pages.open('/');
      await page.getByRole('link', { name: 'Continue with GitHub' }).click();
      await choose(page, 'Cancel');
      await page.getByText('The provider did not sign you in').waitFor();
      await page.goto('/');
      await page.getByLabel('E-mail').waitFor();
      expect(await page.getByText('Last used').count()).toBe(0);
    });

    test('are linked and unlinked in the profile', async () => {
      const { email } = await newMember(pages.services.db);
      const page = await pages.open('/profile?part=security');
      await submitPassword(page, email);
      await page.getByRole('button', { name: 'Link GitHub' }).click();
      await choose(page, 'Grace Hopper');
      await done(page, 'GitHub is linked.');
      expect(page.url()).toBe(`${pages.url}/profile?part=security`);
      await expectAccessible(page, 'links');
      await page.getByRole('button', { name: 'Unlink GitHub' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unlink GitHub' }).click();
      await done(page, 'GitHub is no longer linked.');
      await page.getByRole('button', { name: 'Link GitHub' }).waitFor();
    });

    test('are not unlinked where they are the last way in', async () => {
      const page = await pages.open('/profile?part=security');
      await page.getByRole('link', { name: 'Continue with Microsoft' }).click();
      await choose(page, 'Linus Torvalds');
      await page.getByRole('button', { name: 'Unlink Microsoft' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unlink Microsoft' }).click();
      await page.getByText('This is the only way into your account.').waitFor();
    });

    test('confirm who is there by another sign-in', async () => {
      const page = await pages.open('/profile?part=security');
      await page.getByRole('link', { name: 'Continue with Google' }).click();
      await choose(page, 'Ada Lovelace');
      await page.getByRole('button', { name: 'Set up an app' }).waitFor();
      pages.services.clock.advance(601);
      await page.getByRole('button', { name: 'Set up an app' }).click();
      const dialog = page.getByRole('dialog', { name: 'Is it you?' });
      const again = dialog.getByRole('link', { name: 'Sign in again at Google' });
      await again.waitFor();
      await expectAccessible(page, 'confirm-provider');
      await again.click();
      await choose(page, 'Ada Lovelace');
      await page.waitForURL(`${pages.url}/profile?part=security`);
      await page.getByRole('button', { name: 'Set up an app' }).click();
      await page.getByRole('img', { name: 'QR code' }).waitFor();
    });
  },
  {
    env: async (url) => {
      const options = { port: 0, ldapPort: 0, gatehouse: url, key: await createSigningKey() };
      practice = await startPracticeIdp(options);
      return { ...practice.environment, SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' };
    },
  },
);
