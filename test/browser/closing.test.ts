import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible, type Pages } from '../fixtures/browser.ts';
import { grantRole } from '../fixtures/grant-role.ts';
import { postJson, sendJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';

type Account = Awaited<ReturnType<typeof member>>;

const newAccount = ({ services }: Pages, name = 'Ada') => member(services.db, services.clock, { name });
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text).waitFor();
const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

/** An organization with two departments and a chatbot in the first. */
async function createOrganization({ url }: Pages, { authorization }: Account) {
  const post = async (path: string, body: object) =>
    (await postJson(`${url}/api/v1${path}`, body, { authorization })).body;
  const { organization_id } = await post('/organizations', { name: 'Analytical Engines' });
  const departments = `/organizations/${organization_id}/departments`;
  const { department_id } = await post(departments, { name: 'Support' });
  const sales = (await post(departments, { name: 'Sales' })).department_id;
  const chatbot = {
    name: 'Receptionist',
    type: 'text',
    avatar_id: 'avatar-7',
    language: 'en',
    department_id,
  };
  const { chatbot_id } = await post('/chatbots/create', chatbot);
  const path = `/organization?organization=${organization_id}`;
  return {
    organization_id,
    department_id,
    sales,
    chatbot_id,
    path,
    department: `${path}&department=${department_id}`,
    setRole: (account: Account, role: string) =>
      grantRole(`${url}/api/v1${departments}/${department_id}`, { authorization }, account, role),
  };
}

describePages('closing', (pages) => {
  test('archives a department whose chatbots move, and restores it', async () => {
    const ada = await newAccount(pages);
    const place = await createOrganization(pages, ada);
    const page = await pages.openAs(ada, place.department);
    await tab(page, 'Settings').click();
    await button(page, 'Archive').click();
    await dialog(page).getByText('are deleted for good').waitFor();
    await dialog(page).getByLabel('Its chatbots').selectOption('move to Sales');
    await expectAccessible(page, 'department-archive');
    await dialog(page).getByLabel('Name').fill('Support');
    await dialog(page).getByRole('button', { name: 'Archive department' }).click();
    await toast(page, 'Support is archived.');
    await page.getByText(/^This department is archived\. .* deleted for good on /).waitFor();
    expect(await button(page, 'Rename').count()).toBe(0);
    expect(await button(page, 'Invite a person').count()).toBe(0);
    await expectAccessible(page, 'department-archived');
    const { chatbot_id, sales } = place;
    await expect
      .poll(async () => (await pages.services.db.chatbots.findOne({ chatbot_id }))?.department_id)
      .toBe(sales);
    await page.goto(place.path);
    await page.getByText('Archived', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Support' }).click();
    await button(page, 'Restore').click();
    await toast(page, 'Support is restored.');
    await button(page, 'Rename').waitFor();
  });

  test('closes an organization after naming what happens and when, and restores it', async () => {
    const ada = await newAccount(pages);
    const place = await createOrganization(pages, ada);
    const page = await pages.openAs(ada, place.path);
    await tab(page, 'Settings').click();
    await button(page, 'Leave').click();
    await dialog(page).getByRole('button', { name: 'Leave' }).click();
    await dialog(page).getByText('You are the last Owner.').waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Close').first().click();
    const year = new Date(Date.now() + 30 * 86_400_000).getUTCFullYear();
    await dialog(page).getByText(`, ${year} its departments, chatbots, members`).waitFor();
    await expectAccessible(page, 'organization-close');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Close').first().click();
    await dialog(page).getByLabel('Name').fill('Analytical');
    await dialog(page).getByRole('button', { name: 'Close organization' }).click();
    await dialog(page).getByText('This is not the name.').waitFor();
    await dialog(page).getByLabel('Name').fill('Analytical Engines');
    await dialog(page).getByRole('button', { name: 'Close organization' }).click();
    await toast(page, 'Analytical Engines is closed.');
    await page.getByText(/^This organization is closed\. .* deleted for good on /).waitFor();
    await expectAccessible(page, 'organization-closed');
    await tab(page, 'Departments').click();
    await page.getByRole('link', { name: 'Support' }).waitFor();
    expect(await button(page, 'New department').count()).toBe(0);
    await button(page, 'Restore').click();
    await toast(page, 'Analytical Engines is restored.');
    await button(page, 'New department').waitFor();
  });

  test('lets a member leave a whole organization', async () => {
    const ada = await newAccount(pages);
    const place = await createOrganization(pages, ada);
    const grace = await newAccount(pages, 'Grace');
    await place.setRole(grace, 'Editor');
    const page = await pages.openAs(grace, place.path);
    await tab(page, 'Settings').click();
    expect(await button(page, 'Close').count()).toBe(0);
    await button(page, 'Leave').click();
    await dialog(page).getByRole('button', { name: 'Leave' }).click();
    await toast(page, 'You have left Analytical Engines.');
    await page.getByRole('heading', { name: 'You are in no organization yet' }).waitFor();
  });

  test('shows the grants of a person, and removes them from the whole organization', async () => {
    const ada = await newAccount(pages);
    const place = await createOrganization(pages, ada);
    const grace = await newAccount(pages, 'Grace Hopper');
    await place.setRole(grace, 'Editor');
    await sendJson(
      'PUT',
      `${pages.url}/api/v1/chatbots/${place.chatbot_id}/access/${grace.user_id}`,
      { role: 'Viewer' },
      { authorization: ada.authorization },
    );
    const page = await pages.openAs(ada, place.path);
    await tab(page, 'People').click();
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
    await expectAccessible(page, 'people');
    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor();
    await page.getByRole('table', { name: 'Departments' }).getByText('Editor').waitFor();
    await page.getByRole('table', { name: 'Roles on chatbots' }).getByText('Viewer').waitFor();
    await expectAccessible(page, 'person');
    await button(page, 'Remove from the organization').click();
    await expectAccessible(page, 'person-remove');
    await dialog(page).getByRole('button', { name: 'Remove person' }).click();
    await toast(page, `Grace Hopper (${grace.user_id}) has no role here any more.`);
    const { organization_id } = place;
    const { user_id } = grace;
    expect(await pages.services.db.memberships.countDocuments({ organization_id, user_id })).toBe(0);
    await page.goto(`${place.path}&person=${user_id}`);
    await page.getByText('This person has no role here that you may see.').waitFor();
  });

  test('moves a chatbot to another department, and to oneself', async () => {
    const ada = await newAccount(pages);
    const place = await createOrganization(pages, ada);
    const page = await pages.openAs(ada, `/chatbots?chatbot=${place.chatbot_id}`);
    await page.getByRole('link', { name: 'Analytical Engines / Support' }).waitFor();
    await button(page, 'Move').click();
    await dialog(page).getByLabel('Belongs to').selectOption('Analytical Engines');
    await dialog(page).getByLabel('Department').selectOption('Sales');
    await expectAccessible(page, 'chatbot-move');
    await dialog(page).getByRole('button', { name: 'Move' }).click();
    await toast(page, 'Receptionist has moved.');
    await page.getByRole('link', { name: 'Analytical Engines / Sales' }).waitFor();
    await button(page, 'Move').click();
    await dialog(page).getByRole('button', { name: 'Move' }).click();
    await page.locator('.facts').getByText('You', { exact: true }).waitFor();
  });

  test('shows the billing history of a department', async () => {
    const ada = await newAccount(pages);
    const place = await createOrganization(pages, ada);
    const page = await pages.openAs(ada, `${place.department}&part=history`);
    await page.getByText('Nothing has changed yet.').waitFor();
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await button(page, 'Change plan').click();
    await dialog(page).getByLabel('Plan').selectOption('Business');
    await dialog(page).getByRole('button', { name: 'Change plan' }).click();
    await page.getByRole('link', { name: 'Billing history' }).click();
    await page.getByRole('table', { name: 'History' }).getByText('Plan changed').waitFor();
    await expectAccessible(page, 'billing-history');
  });

  test('speaks German', async () => {
    const ada = await newAccount(pages);
    const place = await createOrganization(pages, ada);
    const page = await pages.openAs(ada, `${place.path}&part=settings`, { locale: 'de-DE' });
    await button(page, 'Schließen').click();
    await dialog(page).getByText('endgültig gelöscht').waitFor();
    await expectAccessible(page, 'organization-close-de');
  });
});
