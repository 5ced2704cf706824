import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { texts as de } from '../../packages/account-pages/browser/texts/de-keys.ts';
import { texts } from '../../packages/account-pages/browser/texts/en-keys.ts';
import { texts as security } from '../../packages/account-pages/browser/texts/en-security.ts';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { postJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';

const { keys: words, serviceAccounts } = texts;
const HOSTILE = '<img src=x onerror=alert(1)>"\'&{{7*7}}';
const DEVELOPERS = '/profile?part=developers';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const submit = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();
const toast = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

/** Reads the key that is shown once, and closes its dialog. */
async function takeKey(page: Page): Promise<string> {
  const shown = dialog(page).locator('.secret code');
  await shown.waitFor();
  const key = (await shown.textContent()) ?? '';
  await submit(page, 'I have saved it');
  await dialog(page).waitFor({ state: 'detached' });
  return key;
}

describePages('the pages for machine keys', (pages) => {
  const person = (fields: object = {}) => member(pages.services.db, pages.services.clock, fields);
  const statusWith = async (key: string) =>
    (await fetch(`${pages.url}/api/v1/users/me`, { headers: { authorization: `Bearer ${key}` } })).status;

  test('makes a key that is shown once, rotates, changes and deletes it', async () => {
    const ada = await person();
    const page = await pages.openAs(ada, DEVELOPERS, {
      permissions: ['clipboard-read', 'clipboard-write'],
      viewport: { width: 320, height: 640 },
    });
    await page.getByText(words.none).waitFor();
    await expectAccessible(page, 'keys-none');

    await button(page, words.create).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type(HOSTILE);
    await dialog(page).getByText(words.groups.account).click();
    await dialog(page).getByLabel(words.names['view profile']).check();
    await dialog(page).getByLabel(words.networks).fill('127.0.0.0/8\nhome');
    await expectAccessible(page, 'keys-create');
    await submit(page, words.createAction);
    await dialog(page).getByText(words.badNetwork).waitFor();
    await dialog(page).getByLabel(words.networks).fill('127.0.0.0/8\n::1');
    await submit(page, words.createAction);
    await button(page, 'Copy').click();
    await page.getByText('Copied.').waitFor();
    await expectAccessible(page, 'keys-secret');
    const copied = await page.evaluate('navigator.clipboard.readText()');
    const first = await takeKey(page);
    expect(copied).toBe(first);
    expect(await statusWith(first)).toBe(200);
    await expectAccessible(page, 'keys');
    expect(await page.content()).not.toContain(first);
    await page.reload();
    await page.getByText(HOSTILE).waitFor();
    expect(await page.content()).not.toContain(first);
    expect(await page.locator('img[src=x]').count()).toBe(0);

    await button(page, words.rotateOf(HOSTILE)).click();
    await dialog(page).getByLabel(words.overlapLabel).selectOption(words.overlaps(2));
    await expectAccessible(page, 'keys-rotate');
    await submit(page, words.rotateAction);
    const second = await takeKey(page);
    expect(second).not.toBe(first);
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);
    await page.getByText('The former secret works until').waitFor();

    await button(page, words.changeOf(HOSTILE)).click();
    await dialog(page).getByLabel('Name').fill('Nightly export');
    await dialog(page).getByLabel(words.networks).fill('192.0.2.7/24');
    await dialog(page).getByLabel(words.expires).fill('');
    await submit(page, 'Save');
    await toast(page, words.changed);
    const stored = await pages.services.db.machineKeys.findOne({ created_by: ada.user_id });
    expect(stored).toMatchObject({
      name: 'Nightly export',
      permissions: ['view profile'],
      networks: ['192.0.2.0/24'],
      expires_at: null,
    });
    expect(await statusWith(second)).toBe(403);

    await button(page, words.deleteOf('Nightly export')).click();
    await submit(page, words.deleteAction);
    await toast(page, words.deleted('Nightly export'));
    await page.getByText(words.none).waitFor();
    expect(await statusWith(second)).toBe(401);
  });

  test('asks whether the person is there before it makes a key', async () => {
    const ada = await person();
    pages.services.clock.advance(11 * 60);
    const page = await pages.openAs(ada, DEVELOPERS);
    await button(page, words.create).click();
    await dialog(page).getByLabel('Name').fill('Robot');
    await dialog(page).getByLabel(words.names['view chatbot']).check();
    await submit(page, words.createAction);
    await page.getByLabel('Password', { exact: true }).fill('secret');
    await button(page, security.identity.submit).click();
    expect(await takeKey(page)).toMatch(/^gh_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
  });

  test('needs a permission, and speaks German', async () => {
    const page = await pages.openAs(await person(), DEVELOPERS, { locale: 'de-DE' });
    await button(page, de.keys.create).click();
    await dialog(page).getByLabel('Name').fill('Nächtlicher Export');
    await submit(page, de.keys.createAction);
    await dialog(page).getByText(de.keys.noPermissions).waitFor();
    await expectAccessible(page, 'keys-de');
    expect(await pages.services.db.machineKeys.countDocuments({ name: 'Nächtlicher Export' })).toBe(0);
  });

  async function organization() {
    const owner = await person({ name: 'Ada' });
    const headers = { authorization: owner.authorization };
    const path = `${pages.url}/api/v1/organizations`;
    const { organization_id } = (await postJson(path, { name: 'Engines' }, headers)).body;
    for (const name of ['Support', HOSTILE])
      await postJson(`${path}/${organization_id}/departments`, { name }, headers);
    return { owner, page: `/organization?organization=${organization_id}` };
  }

  test('a service account gets roles and a key, and ends with its key', async () => {
    const { owner, page: path } = await organization();
    const page = await pages.openAs(owner, path);
    await page.getByRole('link', { name: serviceAccounts.title }).click();
    await page.getByText(serviceAccounts.none).waitFor();
    await expectAccessible(page, 'service-accounts-none');
    await button(page, serviceAccounts.create).click();
    await dialog(page).getByLabel('Name').fill(HOSTILE);
    await dialog(page).getByLabel(serviceAccounts.department).selectOption('Support');
    await dialog(page).getByLabel('Role').selectOption('Editor');
    await button(page, serviceAccounts.addRole).click();
    await dialog(page).getByLabel(serviceAccounts.department).nth(1).selectOption('Support');
    await submit(page, serviceAccounts.createAction);
    await dialog(page).getByText(serviceAccounts.twice).waitFor();
    await dialog(page).getByLabel(serviceAccounts.department).nth(1).selectOption(HOSTILE);
    await expectAccessible(page, 'service-accounts-create');
    await submit(page, serviceAccounts.createAction);
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await page.getByText(`Support: Editor, ${HOSTILE}: Viewer`).waitFor();

    await button(page, words.create).click();
    await dialog(page).getByLabel('Name').fill('Robot');
    expect(await dialog(page).getByLabel(words.names['view profile']).count()).toBe(0);
    await dialog(page).getByLabel(words.names['view chatbot']).check();
    await submit(page, words.createAction);
    const key = await takeKey(page);
    await expectAccessible(page, 'service-account');
    const chatbots = async () =>
      (await fetch(`${pages.url}/api/v1/chatbots`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await chatbots()).toBe(200);

    await button(page, serviceAccounts.change).click();
    await dialog(page).getByLabel('Name').fill('Crawler');
    await button(page, `${serviceAccounts.removeRole}: ${HOSTILE}`).click();
    await submit(page, 'Save');
    await toast(page, serviceAccounts.changed);
    await page.getByText('Support: Editor', { exact: true }).waitFor();
    await page.getByRole('link', { name: serviceAccounts.title }).click();
    await page.getByRole('link', { name: 'Crawler' }).waitFor();
    await expectAccessible(page, 'service-accounts');
    await page.getByRole('link', { name: 'Crawler' }).click();
    await button(page, serviceAccounts.delete).click();
    await submit(page, serviceAccounts.deleteAction);
    await toast(page, serviceAccounts.deleted('Crawler'));
    expect(await chatbots()).toBe(401);
  });
});
