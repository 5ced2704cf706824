import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible, type Pages } from '../fixtures/browser.ts';
import { postJson } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';

type Account = Awaited<ReturnType<typeof member>>;

const newAccount = ({ services }: Pages, name: string) => member(services.db, services.clock, { name });
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text).waitFor();
const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

/** An organization with a department. */
async function createDepartment({ url }: Pages, { authorization }: Account, name = 'Analytical Engines') {
  const all = `${url}/api/v1/organizations`;
  const { organization_id } = (await postJson(all, { name }, { authorization })).body;
  const departments = `${all}/${organization_id}/departments`;
  const { department_id } = (await postJson(departments, { name: 'Support' }, { authorization })).body;
  const path = `/organization?organization=${organization_id}`;
  return {
    organization_id,
    department_id,
    path,
    invitations: `${path}&department=${department_id}&part=invitations`,
    invite: (email: string, role: string) =>
      postJson(`${departments}/${department_id}/invitations`, { email, role }, { authorization }),
  };
}

describePages('invitations', (pages) => {
  /** The page to which the latest mail to an address leads. */
  const linkFor = (email: string): string => {
    const mail = pages.services.mailbox.mails.find(({ recipients }) => recipients.includes(email));
    const link = /\S+\/invitation#\S+/.exec(mail?.content.text ?? '')?.[0];
    if (!link) throw new Error(`no invitation was mailed to ${email}`);
    return link;
  };

  test('are accepted on the page to which the mail leads', async () => {
    const ada = await newAccount(pages, 'Ada Lovelace');
    const grace = await newAccount(pages, 'Grace Hopper');
    const place = await createDepartment(pages, ada);
    await place.invite(grace.email, 'Editor');
    const page = await pages.openAs(grace, linkFor(grace.email));
    await page.getByText('Ada Lovelace invites you to join as Editor.').waitFor();
    expect(page.url()).toContain(`${pages.url}/organization?invitation=`);
    await expectAccessible(page, 'received');
    await button(page, 'Accept: Analytical Engines / Support').click();
    await toast(page, 'Welcome to Analytical Engines.');
    await page.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor();
    await page.getByRole('link', { name: 'Support' }).click();
    await page.getByText('You: Editor').waitFor();
    expect(await page.getByText('Invitations to you').count()).toBe(0);
  });

  test('wait until the person has signed in', async () => {
    const ada = await newAccount(pages, 'Ada Lovelace');
    const grace = await newAccount(pages, 'Grace Hopper');
    const place = await createDepartment(pages, ada);
    await place.invite(grace.email, 'Viewer');
    const page = await pages.open(linkFor(grace.email));
    await page.getByText('Sign in to accept or decline the invitation.').waitFor();
    expect(page.url()).toBe(`${pages.url}/invitation`);
    await expectAccessible(page, 'invitation-known');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail').fill(grace.email);
    await page.getByLabel('Password', { exact: true }).fill('secret');
    await page.keyboard.press('Enter');
    await page.getByText('Ada Lovelace invites you to join as Viewer.').waitFor();
  });

  test('lead somebody without an account to a new one, which joins by its code', async () => {
    const ada = await newAccount(pages, 'Ada Lovelace');
    const place = await createDepartment(pages, ada);
    await place.invite('new@example.com', 'Editor');
    const page = await pages.open(linkFor('new@example.com'));
    await page.getByText('The invitation was mailed to new@example.com').waitFor();
    await expectAccessible(page, 'invitation-new');
    await page.getByRole('link', { name: 'Create an account' }).click();
    expect(await page.getByLabel('E-mail').inputValue()).toBe('new@example.com');
    await page.getByLabel('Name').fill('Newcomer');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/code');
    await page.getByLabel('Six-digit code').fill(pages.codeFor('new@example.com'));
    await toast(page, 'Welcome to Analytical Engines.');
    await page.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor();
    expect(page.url()).not.toContain('joined');
  });

  test('that are used, or are for somebody else, say so', async () => {
    const ada = await newAccount(pages, 'Ada Lovelace');
    const grace = await newAccount(pages, 'Grace Hopper');
    const place = await createDepartment(pages, ada);
    await place.invite(grace.email, 'Viewer');
    const link = linkFor(grace.email);
    const USED = /^The invitation that you opened is not open any more, or it was sent to another account\./;
    const stranger = await pages.openAs(await newAccount(pages, 'Bob'), link);
    await stranger.getByText(USED).waitFor();
    await expectAccessible(stranger, 'invitation-foreign');
    expect(await stranger.getByText('Analytical Engines').count()).toBe(0);

    const hers = await pages.openAs(grace, link);
    await button(hers, 'Accept: Analytical Engines / Support').click();
    await toast(hers, 'Welcome to Analytical Engines.');
    expect(await hers.getByText(USED).count()).toBe(0);
    await hers.goto('about:blank');
    await hers.goto(link);
    await hers.getByText(USED).waitFor();
    await hers.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor();
  });

  test('are declined, which those who invited see', async () => {
    const ada = await newAccount(pages, 'Ada Lovelace');
    const grace = await newAccount(pages, 'Grace Hopper');
    const place = await createDepartment(pages, ada);
    await place.invite(grace.email, 'Editor');
    const hers = await pages.openAs(grace, '/organization');
    await button(hers, 'Decline: Analytical Engines / Support').click();
    await expectAccessible(hers, 'received-decline');
    await dialog(hers).getByRole('button', { name: 'Decline' }).click();
    await toast(hers, 'The invitation of Analytical Engines is declined.');
    await hers.getByText('Invitations to you').waitFor({ state: 'detached' });

    const page = await pages.openAs(ada, place.invitations);
    await page.getByText('There are no open invitations.').waitFor();
    await page.getByLabel('Status').selectOption('Declined');
    await page.getByRole('cell', { name: grace.email.toLowerCase(), exact: true }).waitFor();
    await page.getByLabel('Invited by').selectOption('You');
    await page.getByRole('cell', { name: grace.email.toLowerCase(), exact: true }).waitFor();
    await expectAccessible(page, 'invitations-declined');
    expect(await page.getByRole('button', { name: /^Send again/ }).count()).toBe(0);
  });

  test('to become an Owner hand the organization over', async () => {
    const ada = await newAccount(pages, 'Ada Lovelace');
    const grace = await newAccount(pages, 'Grace Hopper');
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, `${place.path}&part=owners`);
    await button(page, 'Offer ownership').click();
    await dialog(page).getByLabel('User ID').fill('nobody');
    await dialog(page).getByRole('button', { name: 'Send offer' }).click();
    await dialog(page).getByText('There is no account with this ID.').waitFor();
    await dialog(page).getByLabel('User ID').fill(grace.user_id);
    await dialog(page).getByLabel('I step down when they accept').check();
    await expectAccessible(page, 'owner-offer');
    await dialog(page).getByRole('button', { name: 'Send offer' }).click();
    await toast(page, `The offer to ${grace.user_id} is on its way.`);
    await button(page, `Send again: ${grace.user_id}`).click();
    await page.locator('.busy').waitFor({ state: 'detached' });
    await expectAccessible(page, 'owner-offers');

    const hers = await pages.openAs(grace, '/organization');
    await hers.getByText('Ada Lovelace wants to hand the organization over to you').waitFor();
    await button(hers, 'Accept: Analytical Engines').click();
    await hers.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor();
    await tab(hers, 'Owners').click();
    await hers
      .getByRole('cell', { name: /Grace Hopper/ })
      .first()
      .waitFor();
    expect(await hers.getByText('Ada Lovelace').count()).toBe(0);
    await page.reload();
    await page.getByText('This organization does not exist, or you have no role in it.').waitFor();
  });

  test('to become an Owner can be withdrawn', async () => {
    const ada = await newAccount(pages, 'Ada Lovelace');
    const grace = await newAccount(pages, 'Grace Hopper');
    const place = await createDepartment(pages, ada);
    const page = await pages.openAs(ada, `${place.path}&part=owners`);
    await button(page, 'Offer ownership').click();
    await dialog(page).getByLabel('User ID').fill(grace.user_id);
    await dialog(page).getByRole('button', { name: 'Send offer' }).click();
    await button(page, `Withdraw: ${grace.user_id}`).click();
    await dialog(page).getByRole('button', { name: 'Withdraw' }).click();
    await toast(page, `The offer to ${grace.user_id} is withdrawn.`);
    expect(await page.getByRole('heading', { name: 'Offers' }).count()).toBe(0);
  });

  test('show hostile names as text', async () => {
    const ada = await newAccount(pages, '<img src=x onerror="hacked=1">');
    const grace = await newAccount(pages, 'Grace Hopper');
    const place = await createDepartment(pages, ada, '<b>Engines</b>');
    await place.invite(grace.email, 'Editor');
    const page = await pages.openAs(grace, '/organization');
    await page.getByText('<b>Engines</b> / Support').waitFor();
    await page.getByText('<img src=x onerror="hacked=1"> invites you').waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('speak German', async () => {
    const ada = await newAccount(pages, 'Ada Lovelace');
    const grace = await newAccount(pages, 'Grace Hopper');
    const place = await createDepartment(pages, ada);
    await place.invite(grace.email, 'Editor');
    const page = await pages.openAs(grace, '/organization', { locale: 'de-DE' });
    await page.getByText('Ada Lovelace lädt Sie mit der Rolle Bearbeiter ein.').waitFor();
    await expectAccessible(page, 'received-de');
  });
});
