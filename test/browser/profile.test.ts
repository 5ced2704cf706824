import { AUDIT_ACTIONS } from '@gatehouse/shared/identity/audit-actions';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { texts as de } from '../../packages/account-pages/browser/texts/de-account.ts';
import { texts as deSecurity } from '../../packages/account-pages/browser/texts/de-security.ts';
import { texts as en } from '../../packages/account-pages/browser/texts/en-account.ts';
import { describePages, expectAccessible, type Pages } from '../fixtures/browser.ts';
import { member, newMember } from '../fixtures/members.ts';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
/** Would change the title if any of it ran. */
const HOSTILE = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;

/** Signs in with the form. */
async function signIn(pages: Pages, email: string, options?: Parameters<Pages['open']>[1]): Promise<Page> {
  pages.services.clock.advance(1);
  const page = await pages.open('/', options);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('secret');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/profile');
  return page;
}

const rowsOf = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr');
const sessions = (page: Page) => rowsOf(page, en.sessions.title);
const events = (page: Page) => rowsOf(page, en.activity.title);
const open = (page: Page, part: keyof typeof en.profile.parts) =>
  page.getByRole('link', { name: en.profile.parts[part] }).click();

describePages('the profile', (pages) => {
  const account = (fields: object = {}) =>
    member(pages.services.db, pages.services.clock, { name: 'Ada Lovelace', ...fields });

  test('shows and changes name, phone number, company and language', async () => {
    const ada = await account({ company: 'Engines' });
    const page = await pages.openAs(ada);
    await page.getByText(ada.email, { exact: true }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
    expect(await page.getByLabel('Company').inputValue()).toBe('Engines');

    await page.getByLabel('Name').fill('Ada King');
    await page.getByLabel('Phone').fill('+44 20 7946 0000');
    await page.getByLabel('Company').fill('');
    await page.getByLabel('Language of mails').selectOption('Deutsch');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('status').filter({ hasText: 'Your details are saved.' }).waitFor();
    const stored = await pages.services.db.users.findOne({ email: ada.email });
    expect(stored).toMatchObject({ name: 'Ada King', phone: '+44 20 7946 0000', language: 'de' });
    expect(stored).not.toHaveProperty('company');
    await open(page, 'data');
    const change = events(page).filter({ hasText: 'Changed the profile' });
    await change.getByText('Name: Ada Lovelace → Ada King').waitFor();
    await change.getByText('Company: Engines → none').waitFor();
    await change.getByText('Language: none → de').waitFor();
  });

  test('says what is wrong beside the field and keeps what was typed', async () => {
    const page = await pages.openAs(await account());
    await page.getByLabel('Name').fill('Ada King');
    await page.getByLabel('Phone').fill('call me');
    await page.getByRole('button', { name: 'Save changes' }).click();
    const phone = page.getByLabel('Phone');
    await page.locator('input[name=phone][aria-invalid=true]').waitFor();
    expect(await phone.evaluate('document.activeElement.name')).toBe('phone');
    expect([await phone.inputValue(), await page.getByLabel('Name').inputValue()]).toEqual([
      'call me',
      'Ada King',
    ]);
  });

  test('shows the plan and its limits', async () => {
    const page = await pages.openAs(await account({ subscription_plan: 'Starter', payment_status: 'paid' }));
    await page.getByText('120 per minute, 5,000 per hour, 50,000 per day').waitFor();
    await page.getByText('Paid', { exact: true }).waitFor();
  });

  test('two browsers: ending the other signs it out', async () => {
    const ada = await newMember(pages.services.db, { name: 'Ada' });
    const phone = await signIn(pages, ada.email, { userAgent: PHONE });
    const laptop = await signIn(pages, ada.email);
    await open(laptop, 'devices');
    const other = sessions(laptop).filter({ hasText: 'Safari on iOS' });
    await sessions(laptop).filter({ hasText: 'This device' }).waitFor();
    await other.getByRole('button', { name: 'End the session of Safari on iOS' }).click();
    await laptop.getByRole('dialog').getByText('Safari on iOS (127.0.0.1) is signed out at once.').waitFor();
    await laptop.getByRole('button', { name: 'End session' }).click();
    await laptop.getByRole('status').filter({ hasText: 'The session has ended.' }).waitFor();
    await other.waitFor({ state: 'detached' });

    await phone.reload();
    await phone.getByText('Your session has ended. Please sign in again.').waitFor();
    expect(await phone.getByText(ada.email).count()).toBe(0);
    await laptop.reload();
    await sessions(laptop).filter({ hasText: 'This device' }).waitFor();
    await open(laptop, 'data');
    await events(laptop).filter({ hasText: 'Ended another session' }).waitFor();
  });

  test('ends all other sessions', async () => {
    const ada = await newMember(pages.services.db, { name: 'Ada' });
    const others = [await signIn(pages, ada.email), await signIn(pages, ada.email, { userAgent: PHONE })];
    const page = await signIn(pages, ada.email);
    await open(page, 'devices');
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End other sessions' }).click();
    await page.getByRole('status').filter({ hasText: 'All other sessions have ended.' }).waitFor();
    await page.getByText('You are signed in on this device only.').waitFor();
    for (const other of others) {
      await other.reload();
      await other.getByText('Your session has ended. Please sign in again.').waitFor();
    }
  });

  test('cancels with Escape and ends nothing', async () => {
    const ada = await newMember(pages.services.db, { name: 'Ada' });
    await signIn(pages, ada.email, { userAgent: PHONE });
    const page = await signIn(pages, ada.email);
    await open(page, 'devices');
    const end = page.getByRole('button', { name: 'End the session of Safari on iOS' });
    await end.click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await end.waitFor();
  });

  test('pages through the activity, with refused attempts', async () => {
    const ada = await account();
    const { db, clock } = pages.services;
    await db.auditEvents.insertMany(
      Array.from({ length: 25 }, (_, index) => ({
        event_id: `event-${String(index).padStart(2, '0')}`,
        at: new Date(clock.now() - index * 60_000),
        action: 'login' as const,
        outcome: index === 0 ? 'wrong password' : 'success',
        user_id: ada.user_id,
        email: ada.email.toLowerCase(),
        target: {},
        before: null,
        after: null,
        organization_id: null,
        department_id: null,
        address: '198.51.100.7',
        request_id: `request-${index}`,
      })),
    );
    const page = await pages.openAs(ada, '/profile?part=data');
    await events(page).filter({ hasText: 'Refused' }).getByText('wrong password').waitFor();
    const pager = page.getByRole('navigation', { name: 'Pages' });
    await pager.getByText('Page 1 of 3 (25 in all)').waitFor();
    await pager.getByRole('button', { name: 'Next' }).click();
    await pager.getByText('Page 2 of 3 (25 in all)').waitFor();
    await pager.getByRole('button', { name: 'Next' }).click();
    await pager.getByText('Page 3 of 3 (25 in all)').waitFor();
    await expect.poll(() => events(page).count()).toBe(5);
  });

  test('shows hostile names and devices as text', async () => {
    const ada = await newMember(pages.services.db, { name: HOSTILE, company: HOSTILE });
    await signIn(pages, ada.email, { userAgent: HOSTILE });
    const page = await signIn(pages, ada.email);
    expect(await page.getByLabel('Name').inputValue()).toBe(HOSTILE);
    expect(await page.getByLabel('Company').inputValue()).toBe(HOSTILE);
    await open(page, 'devices');
    await sessions(page).getByText(HOSTILE).waitFor();
    await open(page, 'details');
    await page.getByLabel('Name').fill(`${HOSTILE}2`);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('status').filter({ hasText: 'Your details are saved.' }).waitFor();
    await open(page, 'data');
    await events(page).getByText(`Name: ${HOSTILE} → ${HOSTILE}2`).waitFor();
    expect(await page.title()).toContain('Your profile');
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  test('names a device', async () => {
    const ada = await newMember(pages.services.db);
    const page = await signIn(pages, ada.email, { userAgent: PHONE });
    await open(page, 'devices');
    await page.getByRole('button', { name: 'Name Safari on iOS' }).click();
    await page.getByLabel('Name of the device').fill('My phone');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('status').filter({ hasText: 'The name is saved.' }).waitFor();
    await sessions(page).filter({ hasText: 'My phone' }).waitFor();
  });

  test('offers to try again when the server is gone', async () => {
    const page = await pages.openAs(await account());
    await page.getByLabel('Name').waitFor();
    await pages.stopGateway();
    await page.getByLabel('Name').fill('Ada King');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').filter({ hasText: 'The server did not answer.' }).waitFor();
    await pages.startGateway();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('status').filter({ hasText: 'Your details are saved.' }).waitFor();
  });

  test('shows the rest when one list cannot be loaded, and loads it again', async () => {
    const page = await pages.openAs(await account(), '/profile?part=data');
    await page.context().route('**/users/me/audit*', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'The server did not answer.' }).waitFor();
    await page.getByRole('button', { name: 'Delete account' }).waitFor();
    await expectAccessible(page, 'profile-error');
    await page.context().unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(en.activity.empty).waitFor();
  });

  test('is accessible, in both languages, with an open dialog as well', async () => {
    const ada = await newMember(pages.services.db, { name: 'Ada Lovelace', company: 'Analytical Engines' });
    await signIn(pages, ada.email, { userAgent: PHONE });
    await signIn(pages, ada.email, { userAgent: 'curl/8.14.1' });
    const page = await signIn(pages, ada.email);
    await page.getByLabel('Name').waitFor();
    await expectAccessible(page, 'profile');
    await open(page, 'security');
    await page.getByRole('button', { name: 'Set up an app' }).waitFor();
    await expectAccessible(page, 'profile-security');
    await open(page, 'data');
    await events(page).first().waitFor();
    await expectAccessible(page, 'profile-data');
    await open(page, 'devices');
    await page.getByRole('button', { name: 'End the session of Safari on iOS' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, 'profile-dialog');

    const german = await pages.openAs(await account({ name: 'Ada' }), '/profile?part=security', {
      locale: 'de-DE',
    });
    await german.getByRole('button', { name: deSecurity.security.app.setUp }).waitFor();
    await expectAccessible(german, 'profile-de');
  });
});

describePages(
  'the budget of the plan',
  (pages) => {
    test('is shown as the latest answer told it', async () => {
      const ada = await member(pages.services.db, pages.services.clock, { subscription_plan: 'Free' });
      const page = await pages.openAs(ada);
      const meter = page.getByRole('meter', { name: en.plan.limits });
      await page.getByText('1 of 60 calls used this minute').waitFor();
      expect(await meter.getAttribute('aria-valuenow')).toBe('1');
      await page.getByText('59 left').waitFor();
    });
  },
  { env: { RATE_LIMIT: 'on' } },
);

test.each([
  ['English', en],
  ['German', de],
])('%s has words for exactly the audited actions', (_language, texts) => {
  expect(Object.keys(texts.activity.actions).toSorted()).toEqual(AUDIT_ACTIONS.toSorted());
});
