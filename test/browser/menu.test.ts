import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { initialsOf } from '../../packages/account-pages/browser/initials.ts';
import { describePages, expectAccessible, openMenu } from '../fixtures/browser.ts';
import { postJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';

const PAGE = 'getComputedStyle(document.documentElement).backgroundColor';
const [LIGHT, DARK] = ['rgb(246, 247, 249)', 'rgb(15, 17, 21)'];

test.each([
  ['Ada Lovelace', 'AL'],
  ['Augusta Ada King', 'AK'],
  ['ada', 'A'],
  ['  Ada  ', 'A'],
  ['', 'G'],
  ['Éva Ørsted', 'ÉØ'],
  ['👩‍🚀', '👩'],
])('the initials of %j are %s', (name, initials) => {
  expect(initialsOf(name, 'grace@example.com')).toBe(initials);
});

describePages('the menu of the person', (pages) => {
  const newAda = () => member(pages.services.db, pages.services.clock, { name: 'Ada Lovelace' });
  const background = (page: Page) => page.evaluate(PAGE);
  const choose = (page: Page, theme: string) =>
    page.getByRole('radio', { name: theme }).check({ force: true });

  test('shows who is signed in and leads to their organizations', async () => {
    const ada = await newAda();
    const { authorization } = ada;
    const name = 'Analytical Engines';
    const { body } = await postJson(`${pages.url}/api/v1/organizations`, { name }, { authorization });
    const page = await pages.openAs(ada, '/webhooks');
    await page.getByRole('button', { name: 'Your account Ada Lovelace' }).click();
    const menu = page.getByRole('group', { name: 'Your account' });
    await menu.getByText(ada.email).waitFor();
    await menu.getByRole('link', { name: 'Analytical Engines' }).waitFor();
    await expectAccessible(page, 'menu');
    await menu.getByRole('link', { name: 'Analytical Engines' }).click();
    await page.waitForURL(`**/organization?organization=${body.organization_id}`);
    await menu.waitFor({ state: 'detached' });
  });

  test('opens and closes by keyboard, and gives the focus back', async () => {
    const page = await pages.openAs(await newAda());
    const button = page.getByRole('button', { name: 'Your account Ada Lovelace' });
    await button.press('Enter');
    const menu = page.getByRole('group', { name: 'Your account' });
    await menu.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Your profile');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.className')).toBe('user');
  });

  test('shows a changed name at once', async () => {
    const page = await pages.openAs(await newAda());
    await page.getByLabel('Name', { exact: true }).fill('Ada King');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Your account Ada King' }).waitFor();
  });

  test('keeps the chosen theme for every page, also for those of failures', async () => {
    const page = await pages.openAs(await newAda(), '/profile', { colorScheme: 'light' });
    await openMenu(page);
    expect(await background(page)).toBe(LIGHT);
    await choose(page, 'Dark');
    expect(await background(page)).toBe(DARK);
    await page.reload();
    expect(await background(page)).toBe(DARK);
    await openMenu(page);
    expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
    await page.goto('/nowhere');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(DARK);
    await page.goto('/profile');
    await page.emulateMedia({ colorScheme: 'dark' });
    await openMenu(page);
    await choose(page, 'Light');
    await page.reload();
    expect(await background(page)).toBe(LIGHT);
    await openMenu(page);
    await choose(page, 'Device');
    await page.reload();
    expect(await background(page)).toBe(DARK);
    expect(await page.context().cookies()).toEqual([]);
  });

  test('keeps the chosen language for every page', async () => {
    const page = await pages.openAs(await newAda());
    await openMenu(page);
    await page.getByLabel('Language', { exact: true }).selectOption('Deutsch');
    await page.getByRole('heading', { name: 'Ihr Profil' }).waitFor();
    await page.getByRole('button', { name: 'Ihr Konto Ada Lovelace' }).click();
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await page.goto('/nowhere');
    expect(await page.getAttribute('html', 'lang')).toBe('de');
  });

  test('shows the picture that the person chooses, cropped to 256 pixels', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    const avatar = page.locator('.user img');
    await page.getByText('Add a picture').waitFor();
    const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });
    const input = page.getByLabel('Picture file');
    await input.setInputFiles(file('notes.txt', 'text/plain', Buffer.from('no image')));
    await page.getByText('This file cannot be read as an image.').waitFor();
    const screenshot = await page.screenshot({ clip: { x: 0, y: 0, width: 400, height: 300 } });
    await input.setInputFiles(file('ada.png', 'image/png', screenshot));
    await avatar.waitFor();
    await expect.poll(() => page.evaluate('document.querySelector(".user img").naturalWidth')).toBe(256);
    await expectAccessible(page, 'profile-picture');
    await page.getByRole('button', { name: 'Remove picture' }).click();
    await avatar.waitFor({ state: 'detached' });
  });
});
