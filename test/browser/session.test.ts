import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { member } from '../fixtures/members.ts';

describePages('a session on the pages', (pages) => {
  const newAda = () => member(pages.services.db, pages.services.clock, { name: 'Ada Lovelace' });
  const isSignedOut = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor();
  /** Opens another tab with the session, as a duplicated tab has it. */
  async function secondTab(page: Page): Promise<Page> {
    const session = (await page.evaluate(`sessionStorage.getItem('gatehouse.session')`)) as string;
    const tab = await page.context().newPage();
    await tab.goto('/health/live');
    await tab.evaluate(`sessionStorage.setItem('gatehouse.session', ${JSON.stringify(session)})`);
    await tab.goto('/profile');
    return tab;
  }

  test('ends at the server, and with it everything that is shown', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await page.getByText(ada.email).first().waitFor();
    const ended = page.waitForResponse('**/api/v1/auth/logout');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await isSignedOut(page);
    await page.getByText('You are signed out.').waitFor();
    await ended;
    await expectAccessible(page, 'signed-out');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    const answer = await fetch(`${pages.url}/api/v1/users/me`, {
      headers: { authorization: ada.authorization },
    });
    expect(answer.status).toBe(401);

    await page.goBack();
    await isSignedOut(page);
    expect(await page.content()).not.toContain(ada.email);
    await page.goto('/profile');
    await isSignedOut(page);
    expect(await page.content()).not.toContain(ada.email);
  });

  test('ends even if the server does not answer', async () => {
    const page = await pages.openAs(await newAda());
    await page.route('**/api/v1/auth/logout', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await isSignedOut(page);
  });

  test('ends here and in other tabs before the server has answered', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    const other = await secondTab(page);
    await other.getByText(ada.email).first().waitFor();
    const held: (() => Promise<void>)[] = [];
    await page.route('**/api/v1/auth/logout', (route) => void held.push(() => route.continue()));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await isSignedOut(page);
    await isSignedOut(other);
    expect(await page.content()).not.toContain(ada.email);
    const ended = page.waitForResponse('**/api/v1/auth/logout');
    await Promise.all(held.map((release) => release()));
    expect((await ended).status()).toBe(200);
  });

  test('does not come back with an extension that is answered after the logout', async () => {
    const [ada, bob] = [await newAda(), await newAda()];
    const page = await pages.openAs(ada, undefined);
    await page.clock.install();
    await page.goto('/profile');
    await page.getByText(ada.email).first().waitFor();
    await page.clock.fastForward('56:00');
    const held: (() => Promise<void>)[] = [];
    await page.route('**/api/v1/auth/refresh', async (route) => {
      const response = await route.fetch();
      held.push(() => route.fulfill({ response }));
    });
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await expect.poll(() => held.length).toBe(1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await isSignedOut(page);
    await page.getByLabel('E-mail').fill(bob.email);
    await page.getByLabel('Password', { exact: true }).fill('secret');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(bob.email).first().waitFor();
    const before = await page.evaluate(`sessionStorage.getItem('gatehouse.session')`);
    const answered = page.waitForResponse('**/api/v1/auth/refresh');
    await held[0]?.();
    await answered;
    await page.reload();
    await page.getByText(bob.email).first().waitFor();
    expect(await page.evaluate(`sessionStorage.getItem('gatehouse.session')`)).toBe(before);
  });

  test('ends in every tab of the account', async () => {
    const ada = await newAda();
    const one = await pages.openAs(ada);
    const other = await secondTab(one);
    await other.getByText(ada.email).first().waitFor();
    await one.getByRole('button', { name: 'Sign out' }).click();
    await isSignedOut(other);
    expect(await other.content()).not.toContain(ada.email);
    expect(await other.evaluate('sessionStorage.length')).toBe(0);
  });

  test('of another account in another tab goes on', async () => {
    const [ada, bob] = [await newAda(), await newAda()];
    const page = await pages.openAs(ada);
    const other = await page.context().newPage();
    await other.goto('/health/live');
    const session = {
      token: bob.authorization.replace('Bearer ', ''),
      expiresAt: Date.now() + 3_600_000,
      userId: bob.user_id,
    };
    await other.evaluate(
      `sessionStorage.setItem('gatehouse.session', ${JSON.stringify(JSON.stringify(session))})`,
    );
    await other.goto('/profile');
    await other.getByText(bob.email).first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await isSignedOut(page);
    await other.reload();
    await other.getByText(bob.email).first().waitFor();
  });

  test('that was ended elsewhere ends with the next call', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await page.getByText(ada.email).first().waitFor();
    await fetch(`${pages.url}/api/v1/auth/logout`, {
      method: 'POST',
      headers: { authorization: ada.authorization },
    });
    await page.reload();
    await page.getByText('Your session has ended. Please sign in again.').waitFor();
    expect(await page.content()).not.toContain(ada.email);
  });

  test('says when it is about to end, and is extended on demand', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada, undefined);
    await page.clock.install();
    await page.goto('/profile');
    await page.getByText(ada.email).first().waitFor();
    await page.clock.fastForward('56:00');
    await page.getByText(/^Your session ends in \d minutes\.$/).waitFor();
    await expectAccessible(page, 'session-ends');
    await page.route('**/api/v1/auth/refresh', (route) => route.abort());
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByText('The server did not answer. Please try again.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('button', { name: 'Stay signed in' }).waitFor({ state: 'detached' });
    await page.clock.fastForward('30:00');
    await page.getByText(ada.email).first().waitFor();
  });

  test('ends on the page when its token expires', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await page.clock.install();
    await page.goto('/profile');
    await page.getByText(ada.email).first().waitFor();
    await page.clock.fastForward('01:01:00');
    await page.getByText('Your session has ended. Please sign in again.').waitFor();
    expect(await page.content()).not.toContain(ada.email);
  });

  test('is not shown again by the cache of the browser after a logout', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await page.getByText(ada.email).first().waitFor();
    await page.goto('/docs');
    await page.evaluate('sessionStorage.clear()');
    await page.goBack();
    await isSignedOut(page);
    expect(await page.content()).not.toContain(ada.email);
  });
});
