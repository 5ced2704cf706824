import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible, signOut } from '../fixtures/browser.ts';
import { member } from '../fixtures/members.ts';

describePages('a session on the pages', (pages) => {
  const newAda = () => member(pages.services.db, pages.services.clock, { name: 'Ada Lovelace' });
  const isSignedOut = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor();
  /** Opens another tab of the same browser with a session. */
  async function tabWith(page: Page, session: string): Promise<Page> {
    const tab = await page.context().newPage();
    await tab.goto('/health/live');
    await tab.evaluate(`sessionStorage.setItem('gatehouse.session', ${JSON.stringify(session)})`);
    await tab.goto('/profile');
    return tab;
  }
  /** Opens another tab with the same session, as a duplicated tab has it. */
  const secondTab = async (page: Page) =>
    tabWith(page, (await page.evaluate(`sessionStorage.getItem('gatehouse.session')`)) as string);
  const tabOf = (page: Page, { authorization, user_id }: { authorization: string; user_id: string }) =>
    tabWith(
      page,
      JSON.stringify({
        token: authorization.replace('Bearer ', ''),
        expiresAt: Date.now() + 3_600_000,
        userId: user_id,
      }),
    );

  test('ends at the server, and with it everything that is shown', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await page.getByText(ada.email).first().waitFor();
    const ended = page.waitForResponse('**/api/v1/auth/logout');
    await signOut(page);
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

  const MAY_BE_OPEN = /^We could not reach the server, so your session may still be open\./;
  /** The status that the profile answers to a bearer. */
  const statusOf = async ({ authorization }: { authorization: string }) =>
    (await fetch(`${pages.url}/api/v1/users/me`, { headers: { authorization } })).status;
  /** A session of the same account with a token of its own. */
  const anotherSession = async ({ email, user_id }: Awaited<ReturnType<typeof newAda>>) => {
    const answer = await fetch(`${pages.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'secret' }),
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    return { email, user_id, authorization: `Bearer ${access_token}` };
  };

  test.each([
    ['the server does not answer', (route: Route) => route.abort()],
    ['the server fails', (route: Route) => route.fulfill({ status: 503, body: '' })],
    ['the server refuses for now', (route: Route) => route.fulfill({ status: 429, body: '' })],
  ])('may still be open when %s, and ends as soon as it does', async (_, refuse) => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await page.getByText(ada.email).first().waitFor();
    await page.route('**/api/v1/auth/logout', refuse);
    await signOut(page);
    await isSignedOut(page);
    await page.getByRole('alert').getByText(MAY_BE_OPEN).waitFor();
    expect(await page.getByText('You are signed out.').count()).toBe(0);
    expect(await page.content()).not.toContain(ada.email);
    expect(await statusOf(ada)).toBe(200);
    await expectAccessible(page, 'may-be-open');

    await page.reload(); // the token is kept until it is ended
    await page.getByRole('alert').getByText(MAY_BE_OPEN).waitFor();
    await page.unrouteAll();
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.getByText('You are signed out.').waitFor();
    expect(await statusOf(ada)).toBe(401);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('that may still be open is ended on demand, and when a while has passed', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await page.clock.install();
    await page.goto('/profile');
    await page.getByText(ada.email).first().waitFor();
    let attempts = 0;
    await page.route('**/api/v1/auth/logout', (route) => {
      attempts += 1;
      return attempts < 3 ? route.abort() : route.continue();
    });
    await signOut(page);
    await page.getByText(MAY_BE_OPEN).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => attempts).toBe(2);
    await page.getByText(MAY_BE_OPEN).waitFor();
    await page.clock.fastForward(60_000);
    await page.getByText('You are signed out.').waitFor();
    expect(await statusOf(ada)).toBe(401);
  });

  test('ends here and in other tabs before the server has answered', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    const other = await tabOf(page, await anotherSession(ada));
    await other.getByText(ada.email).first().waitFor();
    const held: (() => Promise<void>)[] = [];
    await page.route('**/api/v1/auth/logout', (route) => void held.push(() => route.continue()));
    await signOut(page);
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
    await signOut(page);
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
    await signOut(one);
    await isSignedOut(other);
    expect(await other.content()).not.toContain(ada.email);
    // The token is kept until the server has ended its session.
    await expect.poll(() => other.evaluate('sessionStorage.length')).toBe(0);
  });

  test('in another tab has its own token, which ends too', async () => {
    const ada = await newAda();
    const other = await anotherSession(ada);
    const one = await pages.openAs(ada);
    const tab = await tabOf(one, other);
    await tab.getByText(ada.email).first().waitFor();
    await signOut(one);
    await isSignedOut(tab);
    await tab.getByText('You are signed out.').waitFor();
    expect(await Promise.all([ada, other].map(statusOf))).toEqual([401, 401]);
    expect(await tab.evaluate('sessionStorage.length')).toBe(0);
  });

  test('in a tab that was on another site has ended when the tab comes back', async () => {
    const ada = await newAda();
    const other = await anotherSession(ada);
    const one = await pages.openAs(ada);
    const tab = await tabOf(one, other);
    await tab.getByText(ada.email).first().waitFor();
    await tab.goto('about:blank');
    await signOut(one);
    await one.getByText('You are signed out.').waitFor();
    expect(await statusOf(other)).toBe(200);
    const personal: string[] = [];
    tab.on('request', (request) => personal.push(new URL(request.url()).pathname));
    await tab.goBack();
    await isSignedOut(tab);
    await tab.getByText('You are signed out.').waitFor();
    expect(await statusOf(other)).toBe(401);
    // The sign-in page asks for passkeys without a session.
    const isPersonal = (path: string) => path.startsWith('/api/') && !path.endsWith('/passkey/options');
    expect(personal.filter(isPersonal)).toEqual(['/api/v1/auth/logout']);
  });

  test('begins anew after a logout in the same tab', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await signOut(page);
    await page.getByText('You are signed out.').waitFor();
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password', { exact: true }).fill('secret');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(ada.email).first().waitFor();
    await page.reload();
    await page.getByText(ada.email).first().waitFor();
  });

  test('a session of another account in another tab goes on', async () => {
    const [ada, bob] = [await newAda(), await newAda()];
    const page = await pages.openAs(ada);
    const other = await tabOf(page, bob);
    await other.getByText(bob.email).first().waitFor();
    await signOut(page);
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

  test('that ended on another device is not shown again from the memory of the browser', async () => {
    const ada = await newAda();
    const page = await pages.openAs(ada);
    await page.getByText(ada.email).first().waitFor();
    await fetch(`${pages.url}/api/v1/auth/logout`, {
      method: 'POST',
      headers: { authorization: ada.authorization },
    });
    // Playwright turns the cache off; the page gets the same events as from it.
    const isHidden = await page.evaluate(`{
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
      document.documentElement.hidden;
    }`);
    expect(isHidden).toBe(true);
    await page.getByText('Your session has ended. Please sign in again.').waitFor();
    expect(await page.content()).not.toContain(ada.email);
  });
});
