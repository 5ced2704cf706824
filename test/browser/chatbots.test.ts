import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible, type Pages } from '../fixtures/browser.ts';
import { postJson, sendJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';

const XSS = '<img src=x onerror="window.hacked=1">';

type Account = Awaited<ReturnType<typeof member>>;

const newAccount = ({ services }: Pages) => member(services.db, services.clock);

/** Creates a chatbot over the API. @returns its id. */
async function createChatbot({ url }: Pages, { authorization }: Account, fields: object = {}) {
  const chatbot = { name: 'Receptionist', type: 'text', avatar_id: 'avatar-7', language: 'en-US', ...fields };
  const { body } = await postJson(`${url}/api/v1/chatbots/create`, chatbot, { authorization });
  return body.chatbot_id as string;
}

const toast = (page: Page, text: string) => page.locator('.toast').getByText(text).waitFor();
const dialog = (page: Page) => page.getByRole('dialog');

describePages('chatbots', (pages) => {
  test('invites the first chatbot, creates it and shows it', async () => {
    const ada = await newAccount(pages);
    const page = await pages.openAs(ada, '/chatbots');
    await page.getByRole('heading', { name: 'No chatbots yet' }).waitFor();
    await expectAccessible(page, 'chatbots-empty');
    await page.getByRole('button', { name: 'New chatbot' }).click();
    await dialog(page).getByLabel('Name').fill('Receptionist');
    await dialog(page).getByLabel('Type').selectOption('3D');
    await expectAccessible(page, 'chatbots-create');
    await dialog(page).getByRole('button', { name: 'Create chatbot' }).click();
    await page.getByRole('heading', { level: 1, name: 'Receptionist' }).waitFor();
    await toast(page, 'Receptionist is created.');

    const [stored] = await pages.services.db.chatbots.find({ owner_id: ada.user_id }).toArray();
    expect(stored).toMatchObject({
      name: 'Receptionist',
      type: '3d',
      language: 'en-US',
      avatar_id: 'avatar-1',
    });
  });

  test('creates one chatbot for a double click on a slow network', async () => {
    const ada = await newAccount(pages);
    const page = await pages.openAs(ada, '/chatbots');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/chatbots/create', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'New chatbot' }).click();
    await dialog(page).getByLabel('Name').fill('Twin');
    await dialog(page).getByRole('button', { name: 'Create chatbot' }).dblclick();
    await dialog(page).locator('.button.busy').waitFor();
    release();
    await page.getByRole('heading', { level: 1, name: 'Twin' }).waitFor();
    expect(await pages.services.db.chatbots.countDocuments({ owner_id: ada.user_id })).toBe(1);
  });

  test('repeats a call whose answer was lost without a second effect', async () => {
    const ada = await newAccount(pages);
    const page = await pages.openAs(ada, '/chatbots');
    let calls = 0;
    await page.route('**/api/v1/chatbots/create', async (route) => {
      calls += 1;
      if (calls > 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'New chatbot' }).click();
    await dialog(page).getByLabel('Name').fill('Once');
    await dialog(page).getByRole('button', { name: 'Create chatbot' }).click();
    await dialog(page).getByRole('alert').getByText('The server did not answer').waitFor();
    await dialog(page).getByRole('button', { name: 'Create chatbot' }).click();
    await page.getByRole('heading', { level: 1, name: 'Once' }).waitFor();
    expect(await pages.services.db.chatbots.countDocuments({ owner_id: ada.user_id })).toBe(1);
  });

  test('keeps search, filters, order and page in the address', async () => {
    const ada = await newAccount(pages);
    for (let index = 1; index <= 23; index++)
      await createChatbot(pages, ada, {
        name: `Bot ${String(index).padStart(2, '0')}`,
        type: index > 21 ? 'voice' : 'text',
      });
    const page = await pages.openAs(ada, '/chatbots');
    const rows = page.getByRole('table').locator('tbody tr');
    await page.getByLabel('Sort by').selectOption('Name, A to Z');
    await page.getByRole('link', { name: 'Bot 01' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'Bot 23' }).waitFor();
    expect(await rows.count()).toBe(3);
    await expectAccessible(page, 'chatbots-list');

    await page.reload();
    await page.getByRole('link', { name: 'Bot 23' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bot 23' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Bot 22' }).waitFor();
    expect(new URL(page.url()).search).toBe('?sort=name-asc&page=2');

    await page.getByLabel('Type').selectOption('Voice');
    await page.waitForURL('**/chatbots?sort=name-asc&type=voice');
    await page.getByLabel('Search by name').fill('23');
    await page.waitForURL('**&search=23');
    await page.getByRole('link', { name: 'Bot 22' }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(1);
    await page.getByLabel('Search by name').fill('nothing like it');
    await page.getByText('Nothing matches.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('link', { name: 'Bot 01' }).waitFor();
    expect(await page.getByLabel('Search by name').inputValue()).toBe('');
  });

  test('renames, pauses, duplicates and deletes', async () => {
    const ada = await newAccount(pages);
    const id = await createChatbot(pages, ada);
    const page = await pages.openAs(ada, `/chatbots?chatbot=${id}`);
    await page.getByLabel('Name').fill('Night porter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Night porter' }).waitFor();
    await toast(page, 'The chatbot is saved.');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await expectAccessible(page, 'chatbot');
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { level: 1, name: 'Night porter (copy)' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Delete Night porter (copy)?' }).waitFor();
    await expectAccessible(page, 'chatbot-delete');
    await dialog(page).getByLabel('Name').fill('Night porter (copy)');
    await dialog(page).getByRole('button', { name: 'Delete chatbot' }).click();
    await toast(page, 'Night porter (copy) is deleted.');
    const stored = await pages.services.db.chatbots.find({ owner_id: ada.user_id }).toArray();
    expect(stored.map(({ name, status }) => [name, status])).toEqual([['Night porter', 'paused']]);
  });

  test('changes only the edited field while somebody else edits another', async () => {
    const ada = await newAccount(pages);
    const id = await createChatbot(pages, ada);
    const page = await pages.openAs(ada, `/chatbots?chatbot=${id}`);
    await page.getByLabel('Name').fill('Concierge');
    const { authorization } = ada;
    await sendJson('PATCH', `${pages.url}/api/v1/chatbots/${id}`, { language: 'fr' }, { authorization });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Concierge' }).waitFor();
    const stored = await pages.services.db.chatbots.findOne({ chatbot_id: id });
    expect(stored).toMatchObject({ name: 'Concierge', language: 'fr' });
    expect(await page.getByLabel('Language').inputValue()).toBe('fr');
  });

  test('grants, changes and revokes access, and offers no more than the role allows', async () => {
    const ada = await newAccount(pages);
    const grace = await newAccount(pages);
    const id = await createChatbot(pages, ada);
    const page = await pages.openAs(ada, `/chatbots?chatbot=${id}`);
    await page.getByRole('button', { name: 'Give access' }).click();
    await dialog(page).getByLabel('User ID').fill('User-000000');
    await dialog(page).getByRole('button', { name: 'Give access' }).click();
    await dialog(page).getByText('There is no account with this ID.').waitFor();
    await expectAccessible(page, 'chatbot-grant');
    await dialog(page).getByLabel('User ID').fill(grace.user_id);
    await dialog(page).getByRole('button', { name: 'Give access' }).click();
    await toast(page, `${grace.user_id} now has the role Viewer.`);

    const hers = await pages.openAs(grace, `/chatbots?chatbot=${id}`);
    await hers.getByRole('heading', { level: 1, name: 'Receptionist' }).waitFor();
    await hers.getByRole('button', { name: `Leave: ${grace.user_id}` }).waitFor();
    for (const name of ['Save', 'Pause', 'Duplicate', 'Delete', 'Give access'])
      expect(await hers.getByRole('button', { name, exact: true }).count(), name).toBe(0);

    await page.getByRole('button', { name: `Change role: ${grace.user_id}` }).click();
    await dialog(page).getByLabel('Role').selectOption('Editor');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await toast(page, `${grace.user_id} now has the role Editor.`);
    await hers.reload();
    await hers.getByRole('button', { name: 'Save' }).waitFor();

    await page.getByRole('button', { name: `Remove: ${grace.user_id}` }).click();
    await dialog(page).getByRole('button', { name: 'Remove person' }).click();
    await toast(page, `${grace.user_id} is removed.`);
    await hers.getByRole('button', { name: 'Pause' }).click();
    await hers.getByText('This chatbot no longer exists, or you no longer have access to it.').waitFor();
  });

  test('says that the last Owner cannot leave', async () => {
    const ada = await newAccount(pages);
    const id = await createChatbot(pages, ada);
    const page = await pages.openAs(ada, `/chatbots?chatbot=${id}`);
    await page.getByRole('button', { name: `Leave: ${ada.user_id}` }).click();
    await dialog(page).getByRole('button', { name: 'Give up role' }).click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await pages.services.db.chatbots.countDocuments({ chatbot_id: id })).toBe(1);
  });

  test('shows hostile names as text', async () => {
    const ada = await newAccount(pages);
    const fields = { name: XSS, avatar_id: XSS };
    const id = await createChatbot(pages, ada, fields);
    const page = await pages.openAs(ada, `/chatbots?search=${encodeURIComponent(XSS)}`);
    await page.getByRole('link', { name: XSS }).click();
    await page.getByRole('heading', { level: 1, name: XSS }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: `Delete ${XSS}?` }).waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('main img, dialog img').count()).toBe(0);
    await page.goto(`/chatbots?chatbot=${encodeURIComponent(`../${id}/${XSS}`)}`);
    await page.getByText('This chatbot no longer exists').waitFor();
  });

  test('says that the server does not answer, and loads when it is back', async () => {
    const ada = await newAccount(pages);
    await createChatbot(pages, ada);
    const page = await pages.openAs(ada, '/profile');
    await page.getByRole('link', { name: 'Chatbots' }).waitFor();
    await page.route('**/api/v1/chatbots?*', (route) => route.abort());
    await page.getByRole('link', { name: 'Chatbots' }).click();
    await page.getByText('The server did not answer').waitFor();
    await expectAccessible(page, 'chatbots-error');
    await page.unroute('**/api/v1/chatbots?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Receptionist' }).waitFor();
  });

  test('works with the keyboard and gives the focus back', async () => {
    const ada = await newAccount(pages);
    await createChatbot(pages, ada);
    const page = await pages.openAs(ada, '/chatbots');
    await page.getByRole('button', { name: 'New chatbot' }).focus();
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('New chatbot');
    // What is typed at once, before the browser paints, goes into the dialog.
    const focused = page.evaluate(async () => {
      (document.activeElement as HTMLElement).click();
      await null;
      return document.activeElement?.getAttribute('name');
    });
    expect(await focused).toBe('name');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Receptionist' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Receptionist' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
  });

  test('speaks German', async () => {
    const ada = await newAccount(pages);
    await createChatbot(pages, ada, { name: 'Pförtner' });
    const page = await pages.openAs(ada, '/chatbots', { locale: 'de-DE' });
    await page.getByRole('link', { name: 'Pförtner' }).click();
    await page.getByRole('button', { name: 'Pausieren' }).click();
    await toast(page, 'Der Chatbot ist pausiert.');
    await expectAccessible(page, 'chatbot-de');
  });
});
