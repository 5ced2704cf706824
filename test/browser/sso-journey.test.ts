import { randomUUIDv7 } from 'node:crypto';
import { type PracticeIdp, startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey } from '@gatehouse/practice-idp/signing-key';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { postJson } from '../fixtures/http.ts';
import { member, newMember } from '../fixtures/members.ts';
import { storeOrganization } from '../user/access/store-organization.ts';

const DOMAIN = 'practice.test';

/** Whole logins at the practice identity provider, through the pages and the services. */
describePages(
  'single sign-on at the practice identity provider',
  (pages) => {
    let practice: PracticeIdp;
    let organization_id: string;
    let owner: Awaited<ReturnType<typeof member>>;
    beforeAll(async () => {
      practice = await startPracticeIdp({
        port: 0,
        ldapPort: 0,
        gatehouse: pages.url,
        key: await createSigningKey(),
      });
      const { db, clock } = pages.services;
      owner = await member(db, clock);
      const stored = await storeOrganization(db, {
        owners: [String(owner.user_id)],
        departments: ['Engines', 'Compilers', 'Kernels'],
        now: clock.now(),
      });
      ({ organization_id } = stored.organization);
      const at = new Date(clock.now());
      await db.ssoDomains.insertOne({
        domain_id: randomUUIDv7(),
        organization_id,
        domain: DOMAIN,
        token: 'token',
        verified_at: at,
        verified_domain: DOMAIN,
        sso_required: false,
        created_at: at,
      });
    });
    afterAll(() => practice.stop());
    beforeEach(() => {
      // The provider and the services agree on the time.
      const { clock } = pages.services;
      clock.advance(Math.floor((Date.now() - clock.now()) / 1000));
    });

    /** Makes one connection the only one of the organization, with the settings that the provider prints. */
    async function connect(protocol: keyof PracticeIdp['connections']) {
      await pages.services.db.ssoConnections.deleteMany({});
      const { authorization } = owner;
      const settings = { organization_id, ...practice.connections[protocol] };
      const { status, body } = await postJson(`${pages.url}/api/v1/sso/connections`, settings, {
        authorization,
      });
      expect({ status, body }).toMatchObject({ status: 201 });
    }

    /** From the first page to the provider of the address's domain. */
    async function discover(page: Page, email: string) {
      await page.getByRole('link', { name: 'Use single sign-on' }).click();
      await page.getByLabel('Work e-mail or organization').fill(email);
      await page.getByRole('button', { name: 'Continue' }).click();
    }

    /** At the provider: a wrong password first, then the right one. */
    async function logIn(page: Page, name: string) {
      const person = page.getByRole('radio', { name: `${name}@${DOMAIN}` });
      for (const password of ['wrong', `${name}-practice`]) {
        await person.check();
        await page.getByLabel('Password', { exact: true }).fill(password);
        await page.getByRole('button', { name: 'Log in' }).click();
        if (password === 'wrong') await page.getByText('The password is wrong.').waitFor();
      }
    }

    async function expectProfile(page: Page, name: string, email: string) {
      await page.waitForURL('**/profile');
      await page.getByText(email).first().waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
      expect(page.url()).toBe(`${pages.url}/profile`);
    }

    test.each([
      ['saml', 'grace', 'Grace Hopper'],
      ['oidc', 'ada', 'Ada Lovelace'],
    ] as const)('by e-mail domain, %s, to the profile', async (protocol, uid, name) => {
      await connect(protocol);
      const page = await pages.open('/');
      await discover(page, `${uid}@${DOMAIN}`);
      await logIn(page, uid);
      await expectProfile(page, name, `${uid}@${DOMAIN}`);
      await page.reload();
      await expectProfile(page, name, `${uid}@${DOMAIN}`);
    });

    test('by e-mail domain, ldap, to the profile', async () => {
      await connect('ldap');
      const page = await pages.open('/');
      await discover(page, `linus@${DOMAIN}`);
      await page.getByRole('heading', { name: 'Practice LDAP' }).waitFor();
      await page.getByLabel('User name').fill('linus');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('The user name or the password is wrong.').waitFor();
      await page.getByLabel('Password', { exact: true }).fill('linus-practice');
      await page.keyboard.press('Enter');
      await expectProfile(page, 'Linus Torvalds', `linus@${DOMAIN}`);
    });

    describe('when the domain requires it', () => {
      const setRequired = (sso_required: boolean) =>
        pages.services.db.ssoDomains.updateOne({ domain: DOMAIN }, { $set: { sso_required } });
      beforeAll(() => setRequired(true));
      afterAll(() => setRequired(false));

      async function submitPassword(page: Page, email: string) {
        await page.getByLabel('E-mail').fill(email);
        await page.getByLabel('Password', { exact: true }).fill('secret');
        await page.keyboard.press('Enter');
        await page.getByText('Your organization requires single sign-on.').waitFor();
      }

      test('a refused password leads on to the provider', async () => {
        await connect('oidc');
        const { email } = await newMember(pages.services.db, { email: `ada.l@${DOMAIN}` });
        const page = await pages.open('/');
        await submitPassword(page, email);
        await expectAccessible(page, 'sso-required');
        await page.getByRole('link', { name: 'Go to single sign-on' }).click();
        await page.getByRole('heading', { name: 'Practice identity provider' }).waitFor();
        await logIn(page, 'ada');
        await expectProfile(page, 'Ada Lovelace', `ada@${DOMAIN}`);
      });

      test('a refused password leads to the form of a directory', async () => {
        await connect('ldap');
        const { email } = await newMember(pages.services.db, { email: `linus.t@${DOMAIN}` });
        const page = await pages.open('/');
        await submitPassword(page, email);
        await page.getByRole('link', { name: 'Go to single sign-on' }).click();
        await page.getByRole('heading', { name: 'Practice LDAP' }).waitFor();
      });

      test('says what is wrong when discovery fails, with the address filled in', async () => {
        const { email } = await newMember(pages.services.db, { email: `grace.h@${DOMAIN}` });
        const page = await pages.open('/');
        await submitPassword(page, email);
        const link = page.getByRole('link', { name: 'Go to single sign-on' });
        await link.waitFor();
        await pages.services.db.ssoConnections.deleteMany({});
        await link.click();
        await page.getByText('No organization with single sign-on was found.').waitFor();
        expect(await page.getByLabel('Work e-mail or organization').inputValue()).toBe(email);
        // A reload has forgotten the address and begins nothing.
        await page.reload();
        await page.getByLabel('Work e-mail or organization').waitFor();
        expect(await page.getByLabel('Work e-mail or organization').inputValue()).toBe('');
        expect(await page.getByText('No organization with single sign-on').count()).toBe(0);
      });
    });
  },
  { env: { SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' } },
);
