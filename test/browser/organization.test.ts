import { AUDIT_ACTIONS } from '@gatehouse/shared/identity/audit-actions';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible, type Pages, signOut } from '../fixtures/browser.ts';
import { grantRole } from '../fixtures/grant-role.ts';
import { postJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';

/** Without a period, since names must not look like links. */
const XSS = '<img src=x onerror="hacked=1">';

type Account = Awaited<ReturnType<typeof member>>;

const newAccount = ({ services }: Pages) => member(services.db, services.clock);

/** Creates an organization of an account with one department over the API. */
async function createDepartment({ url }: Pages, { authorization }: Account, name = 'Support') {
  const all = `${url}/api/v1/organizations`;
  const { organization_id } = (await postJson(all, { name: 'Analytical Engines' }, { authorization })).body;
  const departments = `${all}/${organization_id}/departments`;
  const { department_id } = (await postJson(departments, { name }, { authorization })).body;
  const path = `/organization?organization=${organization_id}`;
  return {
    organization_id,
    department_id,
    /** The paths of the pages. */
    path,
    part: (part: string) => `${path}&department=${department_id}&part=${part}`,
    /** Gives an account a role in the department. */
    setRole: (account: Account, role: string) =>
      grantRole(`${departments}/${department_id}`, { authorization }, account, role),
  };
}

const toast = (page: Page, text: string) => page.locator('.toast').getByText(text).waitFor();
const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

describePages('organizations', (pages) => {
  test('creates the first organization and its departments', async () => {
    const ada = await newAccount(pages);
    const page = await pages.openAs(ada, '/organization');
    // A success is shown until something else happens.
    await page.evaluate(
      'const start = setTimeout; window.setTimeout = (run, wait, ...rest) => (wait === 8_000 ? 0 : start(run, wait, ...rest))',
    );
    await page.getByRole('heading', { name: 'You are in no organization yet' }).waitFor();
    await expectAccessible(page, 'organization-none');
    await button(page, 'New organization').click();
    await dialog(page).getByLabel('Name').fill('see https://evil.example');
    await dialog(page).getByRole('button', { name: 'Create organization' }).click();
    await dialog(page).getByText('must not contain a link or an address').waitFor();
    await dialog(page).getByLabel('Name').fill('Analytical Engines');
    await dialog(page).getByRole('button', { name: 'Create organization' }).click();
    await page.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor();
    await toast(page, 'Analytical Engines is created.');

    await button(page, 'New department').click();
    await dialog(page).getByLabel('Name').fill('Support');
    await dialog(page).getByRole('button', { name: 'Create department' }).click();
    await page.getByRole('link', { name: 'Support' }).waitFor();
    await expectAccessible(page, 'organization');
    await button(page, 'New department').click();
    await dialog(page).getByLabel('Name').fill('support');
    await toast(page, 'Support is created.');
    await dialog(page).getByRole('button', { name: 'Create department' }).click();
    await dialog(page).getByText('There is one with this name already.').waitFor();
    expect(await page.locator('.toast .notice').count()).toBe(0);
    await expectAccessible(page, 'organization-duplicate');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Rename: Support' }).click();
    await dialog(page).getByLabel('Name').fill('Customer care');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Customer care' }).waitFor();
    await page.getByRole('button', { name: 'Rename: Analytical Engines' }).click();
    await dialog(page).getByLabel('Name').fill('Difference Engines');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Difference Engines' }).waitFor();
  });

  test('switches between organizations', async () => {
    const ada = await newAccount(pages);
    const { authorization } = ada;
    for (const name of ['First', 'Second'])
      await postJson(`${pages.url}/api/v1/organizations`, { name }, { authorization });
    const page = await pages.openAs(ada, '/organization');
    await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
    await page.getByLabel('Organization', { exact: true }).selectOption('Second');
    await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
    await page.goto('/organization?organization=unknown');
    await page.getByText('This organization does not exist, or you have no role in it.').waitFor();
  });

  test('invites people, sends again and withdraws', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, place.part('invitations'));
    await page.getByText('There are no open invitations.').waitFor();
    const invite = async (email: string, role: string) => {
      await button(page, 'Invite a person').click();
      await dialog(page).getByLabel('E-mail').fill(email);
      await dialog(page).getByLabel('Role').selectOption(role);
      await dialog(page).getByRole('button', { name: 'Send invitation' }).click();
    };
    await invite('new@example.com', 'Editor');
    await toast(page, 'The invitation to new@example.com is on its way.');
    await page.getByRole('button', { name: 'Send again: new@example.com' }).click();
    await page.locator('.busy').waitFor({ state: 'detached' });
    await expectAccessible(page, 'invitations');
    expect(
      pages.services.mailbox.mails.filter(({ recipients }) => recipients.includes('new@example.com')),
    ).toHaveLength(2);

    await invite(ada.email, 'Admin');
    await dialog(page).getByText('This person is a member already.').waitFor();
    await expectAccessible(page, 'invitation-refused');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Withdraw: new@example.com' }).click();
    await dialog(page).getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('There are no open invitations.').waitFor();
  });

  test('invites a person by the ID of their account', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const grace = await newAccount(pages);
    const page = await pages.openAs(ada, place.part('members'));
    await button(page, 'Invite a person').click();
    await dialog(page).getByLabel('Invite by').selectOption('User ID');
    await dialog(page).getByLabel('User ID').fill(` ${grace.user_id} `);
    await dialog(page).getByLabel('Role').selectOption('Editor');
    await expectAccessible(page, 'member-add');
    await dialog(page).getByRole('button', { name: 'Send invitation' }).click();
    await toast(page, `The invitation to ${grace.user_id} is on its way.`);
    await tab(page, 'Invitations').click();
    await page.getByRole('cell', { name: grace.user_id, exact: true }).waitFor();
  });

  test('breaks a long address on a phone at its signs only', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const email = 'ada.augusta.king-noel@correspondence.analytical-engines.example';
    const page = await pages.openAs(ada, place.part('invitations'));
    await button(page, 'Invite a person').click();
    await dialog(page).getByLabel('E-mail').fill(email);
    await dialog(page).getByRole('button', { name: 'Send invitation' }).click();
    await page.getByRole('cell', { name: email, exact: true }).waitFor();
    await expectAccessible(page, 'invitation-long');
    await page.setViewportSize({ width: 360, height: 800 });
    const lines = await page.locator('td .address').evaluate((address) =>
      [...address.childNodes].map((part) => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return [part.textContent, range.getClientRects().length];
      }),
    );
    expect(lines.filter(([text, count]) => text && count !== 1)).toEqual([]);
    expect(lines.map(([text]) => text).join('')).toBe(email);
  });

  test('changes roles and removes members', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const grace = await newAccount(pages);
    await place.setRole(grace, 'Viewer');
    const page = await pages.openAs(ada, place.part('members'));
    await page.getByRole('button', { name: `Change role: Ada (${grace.user_id})` }).click();
    await dialog(page).getByLabel('Role').selectOption('Admin');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await toast(page, `Ada (${grace.user_id}) now has the role Admin.`);
    await page.getByRole('cell', { name: 'Admin' }).waitFor();
    await expectAccessible(page, 'members');
    await page.getByRole('button', { name: `Remove: Ada (${grace.user_id})` }).click();
    await expectAccessible(page, 'member-remove');
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no members yet.').waitFor();
  });

  test('says that somebody else was quicker, and shows the present state', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const grace = await newAccount(pages);
    await place.setRole(grace, 'Viewer');
    const one = await pages.openAs(ada, place.part('members'));
    const other = await pages.openAs(ada, place.part('members'));
    for (const page of [one, other])
      await page.getByRole('button', { name: `Remove: Ada (${grace.user_id})` }).click();
    await dialog(one).getByRole('button', { name: 'Remove' }).click();
    await toast(one, `Ada (${grace.user_id}) is removed.`);
    await dialog(other).getByRole('button', { name: 'Remove' }).click();
    await dialog(other).getByText('It no longer exists, or you no longer have access to it.').waitFor();
    await other.keyboard.press('Escape');
    await other.getByText('There are no members yet.').waitFor();
  });

  test('shows each role what it may do', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const tabsOf = {
      Admin: ['Members', 'Invitations', 'Analytics', 'Reports', 'Exports'],
      Editor: ['Members', 'Invitations', 'Analytics'],
      Viewer: ['Members', 'Invitations', 'Analytics'],
      Analyst: ['Analytics', 'Reports', 'Exports'],
    };
    for (const [role, tabs] of Object.entries(tabsOf)) {
      const account = await newAccount(pages);
      await place.setRole(account, role);
      const page = await pages.openAs(account, place.path);
      await page.getByRole('link', { name: 'Support' }).click();
      await page.getByText(`You: ${role}`).waitFor();
      expect(await page.locator('.tabs a').allTextContents(), role).toEqual(tabs);
      expect(await page.getByRole('button', { name: 'Rename' }).count(), role).toBe(0);
      if (role !== 'Analyst') {
        await tab(page, 'Invitations').click();
        await page.getByText('There are no open invitations.').waitFor();
        expect(await button(page, 'Invite a person').count(), role).toBe(role === 'Admin' ? 1 : 0);
      }
      await page.context().close();
    }
  });

  test('says that a role has been taken away meanwhile', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const [grace, alan] = [await newAccount(pages), await newAccount(pages)];
    await place.setRole(grace, 'Admin');
    await place.setRole(alan, 'Viewer');
    const page = await pages.openAs(grace, place.part('members'));
    await page.getByRole('button', { name: `Change role: Ada (${alan.user_id})` }).click();
    await place.setRole(grace, 'Viewer');
    await dialog(page).getByLabel('Role').selectOption('Editor');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Your role does not allow this.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('You: Viewer').waitFor();
    expect(await page.getByRole('button', { name: `Change role: Ada (${alan.user_id})` }).count()).toBe(0);
  });

  test('lets a member leave', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const grace = await newAccount(pages);
    await place.setRole(grace, 'Editor');
    const page = await pages.openAs(grace, place.part('members'));
    await page.getByRole('button', { name: `Leave: Ada (${grace.user_id})` }).click();
    await dialog(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'You are in no organization yet' }).waitFor();
    await toast(page, 'You have left the department.');
  });

  test('shows the Owners, of whom the last cannot step down', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, place.path);
    await tab(page, 'Owners').click();
    await page.getByRole('button', { name: `Step down: Ada (${ada.user_id})` }).click();
    await dialog(page).getByRole('button', { name: 'Step down' }).click();
    await dialog(page).getByText('You are the last Owner.').waitFor();
    await page.keyboard.press('Escape');
    await expectAccessible(page, 'owners');
  });

  test('shows the plan and changes it', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, place.part('plan'));
    await page.locator('.facts').getByText('Free', { exact: true }).waitFor();
    await button(page, 'Change plan').click();
    await dialog(page).getByLabel('Plan').selectOption('Business');
    await dialog(page).getByRole('button', { name: 'Change plan' }).click();
    await toast(page, 'The plan is now Business.');
    await page.locator('.facts').getByText('Business', { exact: true }).waitFor();
    await expectAccessible(page, 'plan');
    const { department_id } = place;
    expect((await pages.services.db.departments.findOne({ department_id }))?.billing).toMatchObject({
      subscription_plan: 'Business',
      payment_status: 'pending',
    });
  });

  test('draws what happened, with the same numbers as a table', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    await place.setRole(await newAccount(pages), 'Editor');
    const page = await pages.openAs(ada, place.part('analytics'));
    const drawing = (days: number) =>
      page.getByRole('img', { name: new RegExp(`^3 events in ${days} days`) });
    await drawing(30).waitFor();
    await page.getByText('Show as a table').click();
    const table = page.getByRole('table', { name: 'Events by day (UTC)' });
    expect(await table.locator('tbody tr').count()).toBe(30);
    expect(await table.locator('tbody tr').last().locator('td').last().textContent()).toBe('3');
    await expectAccessible(page, 'analytics');
    await page.getByLabel('Period').selectOption('7 days');
    await page.waitForURL('**&days=7');
    await drawing(7).waitFor();
    await page.reload();
    await drawing(7).waitFor();
  });

  test('shows who has changed what', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const grace = await newAccount(pages);
    await place.setRole(grace, 'Viewer');
    await place.setRole(grace, 'Editor');
    const page = await pages.openAs(ada, place.path);
    await tab(page, 'Audit').click();
    await page.getByText('Viewer → Editor').waitFor();
    await expectAccessible(page, 'audit');
    await page.getByLabel('Action').selectOption('Created a department');
    await page.getByText('Viewer → Editor').waitFor({ state: 'detached' });
    await page.getByText('Name: Support').waitFor();
    await page.reload();
    await page.getByText('Name: Support').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    const offered = await page
      .getByLabel('Action')
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    const isPersonal = /^(signup|verify|forgot|reset|login|refresh|logout|session\..*|profile\..*)$/;
    expect(offered.toSorted()).toEqual(
      ['', ...AUDIT_ACTIONS.filter((action) => !isPersonal.test(action))].toSorted(),
    );
  });

  test('shows hostile names and addresses as text', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada, XSS);
    const page = await pages.openAs(ada, place.path);
    await page.getByRole('link', { name: XSS }).click();
    await page.getByRole('heading', { level: 1, name: XSS }).waitFor();
    await tab(page, 'Invitations').click();
    await button(page, 'Invite a person').click();
    await dialog(page).getByLabel('E-mail').fill('"<img/src=x>"@example.com');
    await dialog(page).getByRole('button', { name: 'Send invitation' }).click();
    await page.goto(`${place.path}&part=audit`);
    await page.getByText(XSS).first().waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('never shows a signed-out person the data of the page before', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, place.part('members'));
    await page.getByText('You: Owner').waitFor();
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByText('Support').count()).toBe(0);
  });

  test('speaks German', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada, 'Kundendienst');
    const page = await pages.openAs(ada, place.part('plan'), { locale: 'de-DE' });
    await button(page, 'Tarif ändern').click();
    await dialog(page).getByLabel('Tarif').selectOption('Starter');
    await dialog(page).getByRole('button', { name: 'Tarif ändern' }).click();
    await toast(page, 'Der Tarif ist jetzt Starter.');
    await page.getByText('Sie: Inhaber').waitFor();
  });
});
