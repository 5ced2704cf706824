import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createFirstOperatorLink } from '../../services/user/operators/first-operator.ts';
import { describePages, expectAccessible, type Pages } from '../fixtures/browser.ts';
import { postJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';
import { adminCaller, withOperators } from '../fixtures/operators.ts';
import { storedWebhook } from '../webhooks/stored-webhook.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'&{{7*7}}';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 1 });
const PATHS = [
  'people',
  'organizations',
  'audit',
  'webhooks',
  'jobs',
  'settings-check',
  'support-sessions',
  'approvals',
  'operators',
];

/** The pages on which the hostile records are. */
const SHOWS_HOSTILE = ['people', 'organizations', 'webhooks', 'support-sessions'];

/** An organization with an Owner and a department, all with names that try to be markup. */
async function hostileOrganization({ url, services }: Pages) {
  const owner = await member(services.db, services.clock, { name: HOSTILE });
  const headers = { authorization: owner.authorization };
  const { body } = await postJson(`${url}/api/v1/organizations`, { name: HOSTILE }, headers);
  const path = `${url}/api/v1/organizations/${body.organization_id}/departments`;
  await postJson(path, { name: HOSTILE }, headers);
  return { owner, organization_id: body.organization_id as string };
}

/** A support session and a webhook with markup in each text that the console shows of them. */
async function storeHostileRecords({ services: { db, clock } }: Pages) {
  const [at, later] = [new Date(clock.now()), new Date(clock.now() + 3_600_000)];
  const id = randomUUID();
  await db.supportSessions.insertOne({
    session_id: id,
    person_id: HOSTILE,
    operator: HOSTILE,
    mode: 'read',
    reason: HOSTILE,
    began_at: at,
    expires_at: later,
  });
  const health = { last_success_at: null, last_failure_at: at, consecutive_failures: 4, failing_since: at };
  await db.webhooks.insertOne(
    storedWebhook({
      webhook_id: `${HOSTILE}${id}`,
      name: HOSTILE,
      owner_id: HOSTILE,
      status: 'active',
      health: { ...health, hours: [] },
    }),
  );
}

describePages(
  'the console',
  (pages) => {
    test('leads an operator through sign-in and back', async () => {
      const { support } = await withOperators(pages.services);
      const page = await pages.open('/admin/jobs');
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('E-mail').fill(support.email);
      await page.getByLabel('Password', { exact: true }).fill('secret');
      await button(page, 'Sign in').click();
      await heading(page, 'Jobs').waitFor();
      expect(new URL(page.url()).pathname).toBe('/admin/jobs');
    });

    test('tells a person who is no operator so', async () => {
      const { person } = await withOperators(pages.services);
      const page = await pages.openAs(person.headers(), '/admin');
      await page.getByText('Your account is not an operator').waitFor();
      await expectAccessible(page, 'console-refused');
    });

    test('makes the account that opens the link the first operator, after its sign-in', async () => {
      const { db, clock } = pages.services;
      await db.operators.deleteMany({});
      const person = await adminCaller(pages.services);
      const link = await createFirstOperatorLink(db, pages.url, clock.now());
      const page = await pages.open(link);
      await page.getByText('There is no operator yet').waitFor();
      expect(page.url()).toBe(`${pages.url}/admin`);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('E-mail').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill('secret');
      await button(page, 'Sign in').click();
      await page.getByText('Your link makes the account').waitFor();
      await expectAccessible(page, 'console-first-operator');
      expect(await db.operators.countDocuments()).toBe(0);
      await button(page, 'Become the first operator').click();
      await page.getByText('What needs you').waitFor();
      expect(await db.operators.distinct('_id')).toEqual([person.user_id]);
      expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('claim');
    });

    test('tells whoever opens the link too late so', async () => {
      const { db, clock } = pages.services;
      await db.operators.deleteMany({});
      const person = await adminCaller(pages.services);
      const link = new URL((await createFirstOperatorLink(db, pages.url, clock.now())) ?? '');
      await withOperators(pages.services);
      const page = await pages.openAs(person.headers(), `${link.pathname}${link.hash}`);
      await button(page, 'Become the first operator').click();
      await page.getByText('This link is no longer valid').waitFor();
      await page.reload();
      await page.getByText('Your account is not an operator').waitFor();
    });

    test('shows what needs somebody and the figures of a day', async () => {
      const { support } = await withOperators(pages.services);
      const page = await pages.openAs(support.headers(), '/admin');
      await page.getByText('What needs you').waitFor();
      await page.getByText(/^Sign-ins: /).waitFor();
      await expectAccessible(page, 'console-overview');
    });

    test.each(PATHS)('shows /admin/%s without markup from stored names', async (path) => {
      await hostileOrganization(pages);
      await storeHostileRecords(pages);
      const { admin } = await withOperators(pages.services);
      const page = await pages.openAs(admin.headers(), `/admin/${path}`);
      await heading(page, `${path.charAt(0).toUpperCase()}${path.slice(1).replace('-', ' ')}`).waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      if (SHOWS_HOSTILE.includes(path))
        await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      expect(await page.locator('img[src=x]').count()).toBe(0);
      await expectAccessible(page, `console-${path}`);
    });

    test('offers the plans of the contract', async () => {
      const { admin } = await withOperators(pages.services);
      const page = await pages.openAs(admin.headers(), '/admin/organizations');
      const options = page.getByLabel('Plan').locator('option');
      await expect
        .poll(async () => (await options.allTextContents()).slice(1))
        .toEqual(['Free', 'Starter', 'Professional', 'Business', 'Enterprise']);
    });

    test('closes an organization with a reason, which its Owner reads', async () => {
      const { owner, organization_id } = await hostileOrganization(pages);
      const { admin } = await withOperators(pages.services);
      const page = await pages.openAs(
        admin.headers(),
        `/admin/organizations?organization=${organization_id}`,
      );
      await heading(page, HOSTILE).waitFor();
      await expectAccessible(page, 'console-organization');
      await button(page, 'Archive the organization').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill('Asked for by its Owner');
      await dialog.getByRole('button', { name: 'Archive the organization' }).click();
      await page.getByText('Done.').waitFor();
      const { body } = await fetch(`${pages.url}/api/v1/organizations/${organization_id}/audit`, {
        headers: { authorization: owner.authorization },
      }).then(async (response) => ({ body: await response.json() }));
      expect(body.data).toContainEqual(
        expect.objectContaining({
          action: 'admin.organization_archive',
          actor: { user_id: admin.user_id, email: null },
          after: expect.objectContaining({ reason: 'Asked for by its Owner' }),
        }),
      );
    });

    test('finds a person by a word of their name, and disables the account with a reason', async () => {
      const { db, clock } = pages.services;
      const person = await member(db, clock, { name: `Grace ${HOSTILE}` });
      const { admin } = await withOperators(pages.services);
      const page = await pages.openAs(admin.headers(), '/admin/people');
      await page.getByLabel('Beginning of the e-mail or name, or ID').fill(person.email.toUpperCase());
      await page.getByRole('link', { name: /^Grace/ }).click();
      await heading(page, person.name).waitFor();
      await page.getByText('Can they log in?').waitFor();
      expect(await page.locator('img[src=x]').count()).toBe(0);
      await expectAccessible(page, 'console-person');
      await button(page, 'Disable the account').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill('Stolen, ticket 4711');
      await dialog.getByRole('button', { name: 'Disable the account' }).click();
      await page.getByText('Done.').waitFor();
      await page.getByText('Disabled', { exact: true }).waitFor();
      expect(await db.users.findOne({ user_id: person.user_id })).toMatchObject({
        account_status: 'disabled',
      });
    });

    test('opens a support session by a link that is shown once', async () => {
      const { services } = pages;
      const person = await member(services.db, services.clock, { name: 'Grace' });
      const { support } = await withOperators(services);
      const page = await pages.openAs(support.headers(), `/admin/people?person=${person.user_id}`);
      await button(page, 'Open a support session').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill('Cannot find their chatbots');
      await dialog.getByRole('button', { name: 'Open a support session' }).click();
      const [opened] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('link', { name: 'Open it in a new tab' }).click(),
      ]);
      await opened.getByText('Grace').first().waitFor();
      expect(new URL(opened.url()).search).toBe('');
    });

    test('adds an operator after a confirmation by keyboard alone', async () => {
      const { admin, person } = await withOperators(pages.services);
      const page = await pages.openAs(admin.headers(), '/admin/operators');
      await button(page, 'Add an operator').focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type(person.user_id);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type('Joins the team');
      await page.keyboard.press('Enter');
      await page.getByText('The operator is set.').waitFor();
      expect(await pages.services.db.operators.findOne({ _id: person.user_id })).toMatchObject({
        level: 'support',
        added_by: admin.user_id,
      });
    });
  },
  { env: { ADMIN_CONSOLE: 'on' } },
);

describePages('a gateway without ADMIN_CONSOLE', (pages) => {
  test('has no console', async () => {
    // As any path that there is not.
    const [console, unknown] = [await fetch(`${pages.url}/admin`), await fetch(`${pages.url}/nowhere`)];
    expect(console.status).toBe(unknown.status);
    expect(console.headers.get('content-type')).toMatch(/json/);
  });
});
