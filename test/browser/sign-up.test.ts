import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { postForm } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';

let people = 0;
const newAddress = () => `person${++people}@signup.example`;

describePages('signing up', (pages) => {
  /** Fills in and submits the form; ends at the page of the code. */
  async function signUp(page: Page, email: string, name = 'Ada Lovelace') {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/code');
    await page.getByLabel('Six-digit code').waitFor();
  }
  const code = (page: Page) => page.getByLabel('Six-digit code');
  /** Waits for the error beside the code. */
  async function codeError(page: Page, text: string) {
    await page.locator('.field .error', { hasText: text }).waitFor();
    const described = (await code(page).getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${described}"]`).textContent()).toBe(text);
    expect(await code(page).getAttribute('aria-invalid')).toBe('true');
  }
  /** A code that is not the mailed one. */
  const wrongCode = (email: string) => (pages.codeFor(email) === '111111' ? '222222' : '111111');
  const paste = (page: Page, text: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ${JSON.stringify(text)});
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('[name=otp]').dispatchEvent(event);
    }`);

  test('leads from the form through the mailed code to the profile', async () => {
    const email = newAddress();
    const page = await pages.open('/');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await signUp(page, email);
    await page.getByText(email).waitFor();
    await code(page).fill(pages.codeFor(email));
    await page.waitForURL('**/profile');
    await page.getByText(email).first().waitFor();
    const user = await pages.services.db.users.findOne({ email });
    expect(user).toMatchObject({ verified: true, name: 'Ada Lovelace' });
  });

  test('has accessible pages', async () => {
    const page = await pages.open('/signup');
    await page.getByLabel('Name').waitFor();
    await expectAccessible(page, 'sign-up');
    const email = newAddress();
    await signUp(page, email);
    await expectAccessible(page, 'code');
    await code(page).fill(wrongCode(email));
    await page.locator('.field .error').waitFor();
    await expectAccessible(page, 'code-wrong');
  });

  test('takes a wrong code beside its field, and then the right one', async () => {
    const email = newAddress();
    const page = await pages.open('/signup');
    await signUp(page, email);
    await code(page).fill(wrongCode(email));
    await codeError(page, 'This code is not right. Check the digits, or send another code.');
    await page.locator('[name=otp]:focus').waitFor();
    await code(page).fill(pages.codeFor(email));
    await page.waitForURL('**/profile');
  });

  test.each([
    ['spaces', (digits: string) => ` ${digits.slice(0, 3)} ${digits.slice(3)} `],
    ['the words of the mail', (digits: string) => `Your code is ${digits}\n\nIt is valid for 60 seconds.`],
  ])('takes a code pasted with %s', async (_, around) => {
    const email = newAddress();
    const page = await pages.open('/signup');
    await signUp(page, email);
    await paste(page, around(pages.codeFor(email)));
    await page.waitForURL('**/profile');
  });

  test('says that a code has expired, and takes another one', async () => {
    const email = newAddress();
    const page = await pages.open();
    await page.clock.install();
    await page.goto('/signup');
    await signUp(page, email);
    await page.getByText(/^The code is valid for (1:00|0:\d\d)$/).waitFor();
    const first = pages.codeFor(email);
    pages.services.clock.advance(61);
    await page.clock.fastForward(61_000);
    await page.locator('[role=timer]', { hasText: 'The code has expired' }).waitFor();
    await code(page).fill(first);
    await codeError(page, 'This code has expired. Send another one.');

    await page.getByRole('button', { name: 'Send another code' }).click();
    await page.getByText('Another code is on its way. The earlier one no longer works.').waitFor();
    await page.getByText(/^The code is valid for/).waitFor();
    await code(page).fill(pages.codeFor(email));
    await page.waitForURL('**/profile');
  });

  test('sends the token of the signup along with the code', async () => {
    const email = newAddress();
    const page = await pages.open('/signup');
    await signUp(page, email, 'The owner');
    const { token } = JSON.parse(
      await page.evaluate(() => sessionStorage.getItem('gatehouse.pending') ?? ''),
    ) as { token: string };
    const [request] = await Promise.all([
      page.waitForRequest('**/v2/verify-otp'),
      code(page).fill(pages.codeFor(email)),
    ]);
    expect(new URLSearchParams(request.postData() ?? '').get('token')).toBe(token);
    await page.waitForURL('**/profile');
  });

  test('goes on after the page has been reloaded, with a sign-in at the end', async () => {
    const email = newAddress();
    const page = await pages.open('/signup');
    await signUp(page, email);
    await page.reload();
    await code(page).fill(pages.codeFor(email));
    await page.getByText('Your account is verified. Sign in to begin.').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    await page.getByLabel('Password').fill('correct horse');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/profile');
  });

  test('activates its own password when a stranger has signed up with the address meanwhile', async () => {
    const email = newAddress();
    const page = await pages.open('/signup');
    await signUp(page, email);
    await postForm(`${pages.url}/v2/signup`, { email, password: 'of a stranger', name: 'Mallory' });
    await page.reload();
    await page.getByRole('button', { name: 'Send another code' }).click();
    await page.getByText('Another code is on its way.').waitFor();
    await page.reload();
    await code(page).fill(pages.codeFor(email));
    await page.getByText('Your account is verified. Sign in to begin.').waitFor();
    await page.getByLabel('Password').fill('correct horse');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/profile');
    expect(await pages.services.db.users.findOne({ email })).toMatchObject({ name: 'Ada Lovelace' });
  });

  test('says when a code no longer works, and takes another one, which comes without a warning', async () => {
    const email = newAddress();
    const page = await pages.open('/signup');
    await signUp(page, email);
    const [first] = wrongCode(email);
    for (let wrong = 0; wrong < 5; wrong += 1) {
      const answered = page.waitForResponse('**/v2/verify-otp');
      await code(page).fill(
        `${first}0000${wrong}` === pages.codeFor(email) ? '999999' : `${first}0000${wrong}`,
      );
      await answered;
      await page.locator('.busy').waitFor({ state: 'detached' });
    }
    await codeError(
      page,
      'This code no longer works, because a wrong one was entered five times. Send another code.',
    );
    await page.locator('[role=timer]', { hasText: 'The code no longer works' }).waitFor();
    await expectAccessible(page, 'code-dead');
    await page.getByRole('button', { name: 'Send another code' }).click();
    await page.getByText('Another code is on its way.').waitFor();
    expect(await code(page).inputValue()).toBe('');
    expect(await page.locator('.field .error').count()).toBe(0);
    const mail = pages.services.mailbox.mails.find(({ recipients }) => recipients.includes(email));
    expect(mail?.content.text).not.toMatch(/someone else|more than once/);
    await code(page).fill(pages.codeFor(email));
    await page.waitForURL('**/profile');
  });

  test('names the field of an address that is taken', async () => {
    const { email } = await newMember(pages.services.db);
    const page = await pages.open('/signup');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    const error = page.locator('.field .error');
    await error.waitFor();
    expect(await error.textContent()).toBe('There is an account with this address already. Sign in instead.');
    expect(await page.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
  });

  test('makes one account of a double submit', async () => {
    const email = newAddress();
    const page = await pages.open('/signup');
    let calls = 0;
    await page.route('**/v2/signup', (route) => {
      calls += 1;
      return route.continue();
    });
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).dblclick();
    await page.waitForURL('**/code');
    expect(calls).toBe(1);
  });

  test('explains a code page without a pending code', async () => {
    const page = await pages.open('/code');
    await page.getByText('There is no code to enter here.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  describe('an invitation', () => {
    test('leads to a signup with the address filled in', async () => {
      const email = newAddress();
      const page = await pages.open(`/invitation#email=${encodeURIComponent(email)}`);
      await page.getByText(email).waitFor();
      expect(page.url()).toBe(`${pages.url}/invitation`);
      await expectAccessible(page, 'invitation');
      await page.getByRole('link', { name: 'Create an account' }).click();
      expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    });

    test('leads to a sign-in with the address filled in', async () => {
      const page = await pages.open('/invitation#email=bob%40example.com');
      await page.getByRole('link', { name: 'Sign in' }).click();
      expect(await page.getByLabel('E-mail').inputValue()).toBe('bob@example.com');
    });

    test.each([
      '<img src=x onerror="document.title=1">',
      'Call 555 0100 now',
      'a@b c@example.com',
      'x'.repeat(300),
    ])('does not show a text that is no address: %s', async (text) => {
      const page = await pages.open(`/invitation#email=${encodeURIComponent(text)}`);
      await page.getByText('Sign in to accept or decline the invitation.').waitFor();
      expect(await page.locator('main').textContent()).not.toContain(text);
      await page.getByRole('link', { name: 'Create an account' }).click();
      expect(await page.getByLabel('E-mail').inputValue()).toBe('');
    });
  });

  test('uses the attributes that password managers and mail programs fill in', async () => {
    const page = await pages.open('/signup');
    const autocomplete = (label: string) => page.getByLabel(label).getAttribute('autocomplete');
    await page.getByLabel('Name').waitFor();
    expect(await Promise.all(['Name', 'E-mail', 'Password'].map(autocomplete))).toEqual([
      'name',
      'username',
      'new-password',
    ]);
    await signUp(page, newAddress());
    expect(await autocomplete('Six-digit code')).toBe('one-time-code');
    expect(await code(page).getAttribute('inputmode')).toBe('numeric');
  });
});
