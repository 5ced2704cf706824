import { unusableHash } from '@gatehouse/shared/identity/passwords';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { postJson } from '../fixtures/http.ts';
import { bearerOf, member, newMember } from '../fixtures/members.ts';

describePages('sign-in and security', (pages) => {
  /** Signs in with the form and opens the page. */
  async function open(email: string, code?: string): Promise<Page> {
    const page = await pages.open('/profile?part=security');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('secret');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    if (code !== undefined) await page.getByLabel('Six-digit code').fill(code);
    await page.getByRole('heading', { name: 'What protects your account' }).waitFor();
    return page;
  }
  const done = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  /** Ten minutes pass: what protects the account needs another confirmation. */
  const growStale = () => pages.services.clock.advance(601);

  test('an authenticator app is set up, and asked for at the next sign-in', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await open(email);
    await page.getByRole('button', { name: 'Set up an app' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await expectAccessible(page, 'enroll');
    await page.getByText('Type the key by hand').click();
    const key = await page.locator('.secret code').textContent();
    const totp = new TOTP({ secret: Secret.fromBase32(String(key).replaceAll(' ', '')) });
    await page.getByLabel('Six-digit code').fill(totp.generate({ timestamp: pages.services.clock.now() }));
    await page.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor();
    await expectAccessible(page, 'recovery-codes');
    expect(await page.locator('.recovery-codes li').count()).toBe(10);
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Your account is well protected.').waitFor();

    pages.services.clock.advance(60);
    await open(email, totp.generate({ timestamp: pages.services.clock.now() }));
  });

  test('a stale session is confirmed with the password, and what was begun goes on', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await open(email);
    growStale();
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.waitFor();
    await expectAccessible(page, 'confirmation');
    await dialog.getByLabel('Password', { exact: true }).fill('wrong');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('The e-mail or the password is wrong.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill('secret');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
  });

  test('closing the confirmation changes nothing', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await open(email);
    growStale();
    await page.getByRole('button', { name: 'Set up an app' }).click();
    await page.getByRole('dialog', { name: 'Is it you?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('status').filter({ hasText: 'Nothing was changed.' }).waitFor();
    expect(await pages.services.db.users.findOne({ email })).not.toHaveProperty('pending_factor');
  });

  test('the app is removed after a code of it', async () => {
    const ada = await enrolled(pages.services.db, pages.services.clock);
    const page = await open(ada.email, ada.code());
    growStale();
    await page.getByRole('button', { name: 'Remove the app' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click();
    await page.getByRole('dialog', { name: 'Is it you?' }).getByLabel('Six-digit code').fill(ada.code());
    await done(page, 'The authenticator app is removed.');
    await page.getByRole('dialog', { name: 'End all other sessions?' }).waitFor();
    await page.getByRole('button', { name: 'End other sessions' }).click();
    await done(page, 'All other sessions have ended.');
    await page.getByRole('button', { name: 'Set up an app' }).waitFor();
  });

  test('the password is changed, and another device is signed out', async () => {
    const { email } = await newMember(pages.services.db);
    const other = await open(email);
    pages.services.clock.advance(1);
    const page = await open(email);
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New password').fill('another secret');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await done(page, 'Your password has been changed');
    await other.reload();
    await other.getByText('Your session has ended. Please sign in again.').waitFor();
  });

  test('an account that began at a provider gets its first password', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await open(email);
    await pages.services.db.users.updateOne({ email }, { $set: { password: unusableHash() } });
    await page.reload();
    await page.getByText('Next: set a password.').waitFor();
    const protection = page.getByRole('listitem').filter({ hasText: 'Password' });
    expect(await protection.textContent()).toBe('PasswordOff');
    await page.getByRole('button', { name: 'Set a password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New password').fill('the first secret');
    await dialog.getByRole('button', { name: 'Set a password' }).click();
    await done(page, 'Your password is set');
    await page.getByRole('button', { name: 'Change password' }).waitFor();
    expect(await protection.textContent()).toBe('PasswordOn');
  });

  test('the address is changed with a code that is mailed to the new one', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await open(email);
    await page.getByRole('button', { name: 'Change e-mail' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New address').fill(`new-${email}`);
    await dialog.getByRole('button', { name: 'Send the code' }).click();
    await dialog.getByText('We sent a code to').waitFor();
    await dialog.getByLabel('Six-digit code').fill(pages.codeFor(`new-${email}`));
    await done(page, 'Your address has been changed.');
    await page.getByText(`new-${email}`).waitFor();
  });

  test('the own data is saved as a file once the person has confirmed', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await open(email);
    await page.getByRole('link', { name: 'Your data' }).click();
    await page.getByRole('heading', { name: 'Download your data' }).waitFor();
    growStale();
    await page.getByRole('button', { name: 'Download data' }).click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.getByLabel('Password', { exact: true }).fill('secret');
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('my-data.json');
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ profile: { email } });
    await done(page, 'Your data is downloaded.');
  });

  test('the account is deleted after its address was typed, and a sign-in keeps it', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await open(email);
    await page.getByRole('link', { name: 'Your data' }).click();
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    await expectAccessible(page, 'delete-account');
    await dialog.getByLabel('Name').fill(email);
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('Your account is going to be deleted.').waitFor();
    pages.services.clock.advance(1);
    await open(email);
    expect(await pages.services.db.users.findOne({ email })).not.toHaveProperty('deletion');
  });

  test('an Owner requires a second factor of the members', async () => {
    const { db, clock, user } = pages.services;
    const ada = await member(db, clock);
    const headers = { authorization: ada.authorization };
    const { body } = await postJson(`${user}/api/v1/organizations`, { name: 'Engines' }, headers);
    const page = await pages.openAs(ada, `/organization?organization=${body.organization_id}&part=settings`);
    await page.getByText('Members may sign in with their password alone.').waitFor();
    await page.getByRole('button', { name: 'Require a second factor' }).click();
    const dialog = page.getByRole('dialog');
    await expectAccessible(page, 'policy');
    await dialog.getByRole('button', { name: 'Require a second factor' }).click();
    await done(page, 'A second factor is required from now on.');
    await page.getByRole('button', { name: 'No longer require it' }).waitFor();

    clock.advance(14 * 86_400 + 1);
    const refused = await pages.openAs(
      { ...ada, authorization: bearerOf(ada, clock.now()) },
      `/organization?organization=${body.organization_id}`,
    );
    await refused.getByText('This organization requires a second factor.').first().waitFor();
    await refused.getByRole('link', { name: 'Set up a second factor' }).first().click();
    await refused.getByRole('button', { name: 'Set up an app' }).waitFor();
  });
});
