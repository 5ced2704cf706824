import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible, type Pages } from '../fixtures/browser.ts';
import { grantRole } from '../fixtures/grant-role.ts';
import { postJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';

type Account = Awaited<ReturnType<typeof member>>;

const newAccount = ({ services }: Pages) => member(services.db, services.clock);
const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

/** An organization with a department. */
async function createDepartment({ url }: Pages, { authorization }: Account) {
  const all = `${url}/api/v1/organizations`;
  const { organization_id } = (await postJson(all, { name: 'Analytical Engines' }, { authorization })).body;
  const departments = `${all}/${organization_id}/departments`;
  const { department_id } = (await postJson(departments, { name: 'Support' }, { authorization })).body;
  const path = `/organization?organization=${organization_id}`;
  return {
    path,
    part: (part: string) => `${path}&department=${department_id}&part=${part}`,
    setRole: (account: Account, role: string) =>
      grantRole(`${departments}/${department_id}`, { authorization }, account, role),
  };
}

describePages('exports and reports', (pages) => {
  test('exports the data of an organization, shows its progress, and downloads it', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, place.path);
    await tab(page, 'Exports').click();
    await page.getByText('There are no exports.').waitFor();
    pages.services.clock.advance(1); // the audit of an export ends before it begins
    await button(page, 'New export').click();
    await dialog(page).getByRole('button', { name: 'Create export' }).click();
    await dialog(page).getByText('Choose at least one kind of data.').waitFor();
    await dialog(page).getByLabel('Members').check();
    await dialog(page).getByLabel('Audit').check();
    await dialog(page).getByLabel('Format').selectOption('CSV, a file for each kind of data');
    await expectAccessible(page, 'export-create');
    await dialog(page).getByRole('button', { name: 'Create export' }).click();
    await page.getByText('Ready', { exact: true }).waitFor();
    await expectAccessible(page, 'exports');

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download: Audit/ }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    expect(await readFile(await download.path(), 'utf8')).toContain('department.create');

    await page.getByRole('button', { name: /^Delete: / }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no exports.').waitFor();
    expect(await pages.services.db.exports.countDocuments({ created_by: ada.user_id })).toBe(0);
  });

  test('shows an export that runs or has failed', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, undefined);
    const job = {
      format: 'json',
      data: ['members'],
      department_id: null,
      error: null,
      files: [],
      created_at: '2026-01-15T09:30:00.000Z',
      expires_at: '2026-01-22T09:30:00.000Z',
    };
    await page.route('**/exports?*', (route) =>
      route.fulfill({
        json: {
          data: [
            { ...job, export_id: '1', status: 'running', progress: { rows_done: 412, rows_total: 1204 } },
            {
              ...job,
              export_id: '2',
              status: 'failed',
              error: 'too large',
              progress: { rows_done: 9, rows_total: 9 },
            },
          ],
          pagination: { page: 1, limit: 20, total_items: 2, total_pages: 1 },
        },
      }),
    );
    await page.goto(`${place.path}&part=exports`);
    await page.getByText('412 of 1,204 rows').waitFor();
    expect(await page.getByRole('meter').getAttribute('aria-valuenow')).toBe('412');
    await page.getByText('too large').waitFor();
    await expectAccessible(page, 'exports-running');
  });

  test('offers an Analyst what their role may see', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const analyst = await newAccount(pages);
    await place.setRole(analyst, 'Analyst');
    const page = await pages.openAs(analyst, place.part('exports'));
    await button(page, 'New export').click();
    expect(await dialog(page).locator('.checks label').allTextContents()).toHaveLength(1);
    await dialog(page).getByLabel('Audit').waitFor();
    await page.keyboard.press('Escape');
    await tab(page, 'Reports').click();
    await page.getByLabel('By', { exact: true }).waitFor();
    expect(await page.getByLabel('By', { exact: true }).locator('option').allTextContents()).toEqual([
      'Day',
      'Week',
      'Month',
      'Action',
    ]);
  });

  test('reports what was done, by day and by action, also as CSV', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    await place.setRole(await newAccount(pages), 'Viewer');
    const page = await pages.openAs(ada, place.part('reports'));
    await page.getByRole('img', { name: /^All changes: \d+ in all\./ }).waitFor();
    await expectAccessible(page, 'report');
    await page.getByLabel('By', { exact: true }).selectOption('Action');
    await page.getByText('Created a department').waitFor();
    await expectAccessible(page, 'report-action');
    await page.getByLabel('Count').selectOption('Chatbots deleted');
    await page.getByText('Nothing was counted in this period.').waitFor();
    await page.reload();
    await page.getByText('Nothing was counted in this period.').waitFor();
    await page.getByLabel('Count').selectOption('All changes');
    const downloading = page.waitForEvent('download');
    await button(page, 'Download as CSV').click();
    const download = await downloading;
    expect(await readFile(await download.path(), 'utf8')).toContain('department.create,1');
  });

  test('speaks German', async () => {
    const ada = await newAccount(pages);
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, place.part('reports'), { locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Berichte' }).waitFor();
    await tab(page, 'Exporte').click();
    await page.getByText('Es gibt keine Exporte.').waitFor();
  });
});
