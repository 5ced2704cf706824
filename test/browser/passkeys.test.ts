import { unusableHash } from '@gatehouse/shared/identity/passwords';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible, signOut } from '../fixtures/browser.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { newMember } from '../fixtures/members.ts';
import { addAuthenticator } from '../fixtures/virtual-authenticator.ts';

const SECURITY = '/profile?part=security';
const OPTIONS = '**/api/v1/auth/login/passkey/options';

describePages('passkeys', (pages) => {
  async function submitPassword(page: Page, email: string) {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('secret');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }
  const done = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const isSignedIn = (page: Page, email: string) => page.getByText(email).first().waitFor();

  /** Opens the page of an account on a device with an authenticator that does not answer yet. */
  async function open(email: string, code?: string) {
    const page = await pages.open();
    await page.addInitScript(() => {
      const get = navigator.credentials.get.bind(navigator.credentials);
      navigator.credentials.get = (options) => {
        const answer = get(options);
        document.body.classList.add('asking');
        return answer;
      };
    });
    const authenticator = await addAuthenticator(page);
    await authenticator.answer(false);
    await page.goto(SECURITY);
    await submitPassword(page, email);
    if (code !== undefined) await page.getByLabel('Six-digit code').fill(code);
    await page.getByRole('heading', { name: 'What protects your account' }).waitFor();
    return { page, authenticator };
  }

  async function add(page: Page, name: string) {
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Create passkey' }).click();
  }

  /** An account with a passkey on a device, which shows the sign-in page and does not answer. */
  async function signedOut(email: string, code?: string) {
    const { page, authenticator } = await open(email, code);
    await authenticator.answer(true);
    await add(page, 'Laptop');
    await done(page, 'The passkey is added.');
    await authenticator.answer(false);
    const offered = page.waitForResponse(OPTIONS);
    await signOut(page);
    await offered;
    await page.goto(SECURITY);
    // The autofill would sign in by itself if it asked later.
    await page.locator('body.asking').waitFor();
    return { page, authenticator };
  }

  test('one is added, renamed and removed', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await open(email);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await expectAccessible(page, 'add-passkey');
    await page.keyboard.press('Escape');
    await authenticator.answer(true);
    await add(page, 'Laptop');
    await done(page, 'The passkey is added.');
    expect(await authenticator.size()).toBe(1);
    await page.getByText('On one device').waitFor();
    await page.getByText('Not used yet').waitFor();
    await expectAccessible(page, 'passkeys');

    await page.getByRole('button', { name: 'Rename Laptop' }).click();
    const naming = page.getByRole('dialog', { name: 'Rename' });
    await naming.getByLabel('Name').fill('Old laptop');
    await naming.getByRole('button', { name: 'Save changes' }).click();
    await done(page, 'The name is saved.');

    await page.getByRole('button', { name: 'Remove Old laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
    await done(page, 'The passkey is removed.');
    expect(await page.getByText('Old laptop').count()).toBe(0);
    expect((await pages.services.db.users.findOne({ email }))?.passkeys).toEqual([]);
  });

  test('the device says that it has one already', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await open(email);
    await authenticator.answer(true);
    await add(page, 'Laptop');
    await done(page, 'The passkey is added.');
    await add(page, 'Laptop again');
    await page.getByText('There is a passkey for your account on this device already.').waitFor();
  });

  test('the autofill signs in by itself', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await signedOut(email);
    expect(await page.getByLabel('E-mail').getAttribute('autocomplete')).toBe('username webauthn');
    await authenticator.answer(true);
    await page.reload();
    await isSignedIn(page, email);
    expect(page.url()).toBe(`${pages.url}${SECURITY}`);
    await page.getByText('Last used: ').waitFor();
  });

  test('the button signs in without an address', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await signedOut(email);
    await authenticator.answer(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await isSignedIn(page, email);
  });

  test('the autofill asks for another challenge before the server forgets the first', async () => {
    const page = await pages.open();
    await addAuthenticator(page).then(({ answer }) => answer(false));
    await page.clock.install();
    let asked = page.waitForRequest(OPTIONS);
    await page.goto('/');
    await asked;
    asked = page.waitForRequest(OPTIONS);
    await page.clock.runFor(100_000);
    await asked;
  });

  test('a password that is submitted ends the autofill', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await pages.open();
    await addAuthenticator(page).then(({ answer }) => answer(false));
    await page.addInitScript(() => {
      const get = navigator.credentials.get.bind(navigator.credentials);
      navigator.credentials.get = (options) => {
        options?.signal?.addEventListener('abort', () => document.body.classList.add('aborted'));
        document.body.classList.add('offered');
        return get(options);
      };
    });
    await page.goto('/');
    await page.locator('body.offered').waitFor();
    await submitPassword(page, email);
    await page.waitForURL('**/profile');
    await page.locator('body.aborted').waitFor();
  });

  test('a person who ignores the prompt can try again', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await signedOut(email);
    await page.route(OPTIONS, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      await route.fulfill({ response, json: { ...answer, options: { ...answer.options, timeout: 100 } } });
    });
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await button.click();
    await page.getByRole('alert').getByText('No passkey was used.').waitFor();
    await expectAccessible(page, 'passkey-not-used');
    await page.unrouteAll();
    await authenticator.answer(true);
    await button.click();
    await isSignedIn(page, email);
  });

  test('a person whom the device does not recognize does not get in', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await signedOut(email);
    await authenticator.recognize(false);
    await authenticator.answer(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('No passkey was used.').waitFor();
    await authenticator.recognize(true);
    // The autofill of the next page asks at once.
    await page.reload();
    await isSignedIn(page, email);
  });

  test('one that was removed from the account is refused', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await signedOut(email);
    await pages.services.db.users.updateOne({ email }, { $set: { passkeys: [] } });
    await authenticator.answer(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('This passkey was not accepted.').waitFor();
    await submitPassword(page, email);
    await isSignedIn(page, email);
  });

  test('one is a whole sign-in of an account with an authenticator app', async () => {
    const ada = await enrolled(pages.services.db, pages.services.clock);
    const { page, authenticator } = await signedOut(ada.email, ada.code());
    await authenticator.answer(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await isSignedIn(page, ada.email);
  });

  test('one takes the place of the code at the second step', async () => {
    const ada = await enrolled(pages.services.db, pages.services.clock);
    const { page, authenticator } = await signedOut(ada.email, ada.code());
    await submitPassword(page, ada.email);
    const button = page.getByRole('button', { name: 'Use a passkey' });
    await button.waitFor();
    await expectAccessible(page, 'second-step-passkey');
    await authenticator.answer(true);
    await button.click();
    await isSignedIn(page, ada.email);
  });

  test('one confirms who is there, and what was begun goes on', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await open(email);
    await authenticator.answer(true);
    await add(page, 'Laptop');
    await done(page, 'The passkey is added.');
    pages.services.clock.advance(601);
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.getByLabel('Password', { exact: true }).waitFor();
    await expectAccessible(page, 'confirm-passkey');
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
  });

  test('the last way into an account stays', async () => {
    const { email } = await newMember(pages.services.db);
    const { page, authenticator } = await open(email);
    await authenticator.answer(true);
    await add(page, 'Laptop');
    await done(page, 'The passkey is added.');
    await pages.services.db.users.updateOne({ email }, { $set: { password: unusableHash() } });
    await page.reload();
    await page.getByRole('button', { name: 'Set a password' }).waitFor();
    await page.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('This is the only way into your account.').waitFor();
  });
});
