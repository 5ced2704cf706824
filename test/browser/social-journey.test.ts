import { type PracticeIdp, startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey } from '@gatehouse/practice-idp/signing-key';
import type { Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { describePages } from '../fixtures/browser.ts';
import { member } from '../fixtures/members.ts';

const PROVIDERS = [
  ['Google', 'google'],
  ['Apple', 'apple'],
  ['Microsoft', 'microsoft'],
  ['GitHub', 'github'],
] as const;

let practice: PracticeIdp;
afterAll(() => practice?.stop());

/** The settings of `npm start -- --practice`. */
async function startPractice(gatehouse: string): Promise<NodeJS.ProcessEnv> {
  practice = await startPracticeIdp({ port: 0, ldapPort: 0, gatehouse, key: await createSigningKey() });
  return { SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128', ...practice.environment };
}

/** Whole logins at the practice providers, through the pages and the services. */
describePages(
  'social login at the practice providers',
  (pages) => {
    beforeEach(async () => {
      for (const { switches } of Object.values(practice.social)) switches.clear();
      practice.social.apple.forget();
      const { clock, db } = pages.services;
      await Promise.all([db.users.deleteMany({}), db.loginNames.deleteMany({})]);
      // The providers and the services agree on the time.
      clock.advance(Math.floor((Date.now() - clock.now()) / 1000));
    });

    /** From the sign-in page to a provider, as one of its people. */
    async function logIn(page: Page, label: string, person = 'Ada Lovelace') {
      await page.getByRole('link', { name: `Continue with ${label}` }).click();
      await page.getByRole('heading', { name: `Practice ${label}` }).waitFor();
      await page.getByRole('button', { name: person }).click();
    }

    async function expectProfile(page: Page, name: string, email: string) {
      await page.waitForURL('**/profile');
      await page.getByText(email).first().waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    }

    test.each(PROVIDERS)('from the button of %s to the profile, twice', async (label) => {
      for (let turn = 0; turn < 2; turn += 1) {
        const page = await pages.open('/');
        await logIn(page, label);
        await expectProfile(page, 'Ada Lovelace', 'ada@practice.test');
      }
      expect(await pages.services.db.users.countDocuments()).toBe(1);
    });

    test.each(PROVIDERS)('%s: who cancels reads why they are not signed in, and goes back', async (label) => {
      const page = await pages.open('/');
      await page.getByRole('link', { name: `Continue with ${label}` }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
      await page.getByText('The provider did not sign you in, or you cancelled.').waitFor();
      await page.getByRole('link', { name: 'Back to sign-in' }).click();
      await page.getByRole('link', { name: `Continue with ${label}` }).waitFor();
    });

    test.each(PROVIDERS)('%s: an address that is not verified is refused in words', async (label, name) => {
      practice.social[name].switches.add('unverified');
      const page = await pages.open('/');
      await logIn(page, label);
      await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
      await page.getByText('Sign in another way or sign up first').waitFor();
    });

    test.each(PROVIDERS)('%s is linked and unlinked in the profile', async (label, name) => {
      const { db, clock } = pages.services;
      const account = await member(db, clock, { email: 'countess@example.com' });
      const page = await pages.openAs(account, '/profile?part=security');
      await page.getByRole('button', { name: `Link ${label}`, exact: true }).click();
      await page.getByRole('button', { name: 'Grace Hopper' }).click();
      await page.getByText(`${label} is linked.`).waitFor();
      const linked = await db.users.findOne({ user_id: account.user_id });
      expect(linked?.links).toEqual([expect.stringMatching(`^${name}:`)]);

      const visitor = await pages.open('/');
      await logIn(visitor, label, 'Grace Hopper');
      await expectProfile(visitor, 'Ada', 'countess@example.com');

      await page.getByRole('button', { name: `Unlink ${label}`, exact: true }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Unlink ${label}` })
        .click();
      await page.getByText(`${label} is no longer linked.`).waitFor();
      expect((await db.users.findOne({ user_id: account.user_id }))?.links).toEqual([]);
    });
  },
  { env: startPractice },
);
