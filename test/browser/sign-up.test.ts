import { expect, test } from 'vitest';
import { describePages, expectAccessible } from '../fixtures/browser.ts';

describePages('signing up', (pages) => {
  test('leads from the form through the mailed code to the profile', async () => {
    const email = 'ada@example.com';
    const page = await pages.open('/');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/code');
    await page.getByLabel('Six-digit code').fill(pages.codeFor(email));
    await page.waitForURL('**/profile');
    await page.getByText(email).first().waitFor();

    const user = await pages.services.db.users.findOne({ email });
    expect(user).toMatchObject({ verified: true, name: 'Ada Lovelace' });
  });

  test('has accessible pages', async () => {
    const page = await pages.open('/signup');
    await page.getByLabel('Name').waitFor();
    await expectAccessible(page, 'sign-up');
  });
});
