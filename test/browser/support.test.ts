import { createTokens } from '@gatehouse/shared/identity/tokens';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, expectAccessible } from '../fixtures/browser.ts';
import { member } from '../fixtures/members.ts';
import { adminCaller } from '../fixtures/operators.ts';
import { JWT_SECRET } from '../fixtures/services.ts';
import { supportBearer } from '../fixtures/support.ts';

const MARKUP = '<img src=x onerror="document.title=\'owned\'">';

describePages(
  'a support link',
  (pages) => {
    const person = (fields: object = {}) => member(pages.services.db, pages.services.clock, fields);
    const tokenOf = ({ authorization }: { authorization: string }) => authorization.replace('Bearer ', '');
    const link = (parameters: Record<string, string>, path = '/login') =>
      `${path}?${new URLSearchParams({ adminRedirect: 'true', ...parameters })}`;
    const full = async (account: Awaited<ReturnType<typeof person>>, path?: string) =>
      link(
        { token: tokenOf(account), user_id: account.user_id, session_id: 'session-1', email: account.email },
        path,
      );
    const banner = (page: Page) => page.getByRole('complementary', { name: 'Support session' });

    test.each(['/login', '/'])('at %s opens the session and says whose it is', async (path) => {
      const ada = await person({ name: 'Ada Lovelace' });
      const page = await pages.open(await full(ada, path));
      await banner(page).getByText(`Ada Lovelace, ${ada.email}`).waitFor();
      expect(page.url()).toBe(`${pages.url}/profile`);
      await expectAccessible(page, 'support-session');
      await page.goto('/forgot');
      await banner(page).getByText(`Ada Lovelace, ${ada.email}`).waitFor();
      await page.reload();
      await banner(page).waitFor();
    });

    test.each([3, -3])(
      'lasts as long as its token on a device whose clock is %i hours off',
      async (hours) => {
        const ada = await person({ name: 'Ada Lovelace' });
        const page = await pages.open();
        await page.clock.install({ time: Date.now() + hours * 3_600_000 });
        await page.goto(await full(ada));
        await banner(page).waitFor();
        await page.getByRole('heading', { name: 'Personal details' }).waitFor();
        await page.clock.fastForward('24:00');
        await page.getByText(ada.email).first().waitFor();
        expect(await page.getByText('Your session ends in').count()).toBe(0);
        await page.clock.fastForward('03:00');
        await page.getByText(/^Your session ends in \d minutes\.$/).waitFor();
      },
    );

    test('asks before it replaces a session, and then ends that one', async () => {
      const [bob, ada] = [await person({ name: 'Bob' }), await person({ name: 'Ada Lovelace' })];
      const page = await pages.openAs(bob);
      await page.getByText(bob.email).first().waitFor();
      await page.goto(await full(ada));
      await page.getByRole('heading', { name: 'Open a support session?' }).waitFor();
      expect(page.url()).toBe(`${pages.url}/login`);
      await expectAccessible(page, 'support-replaces');
      await page.getByRole('button', { name: 'Stay signed in' }).click();
      await page.getByText(bob.email).first().waitFor();
      expect(await banner(page).count()).toBe(0);

      await page.goto(await full(ada));
      const ended = page.waitForResponse('**/api/v1/auth/logout');
      await page.getByRole('button', { name: 'Open support session' }).click();
      await banner(page).getByText(`Ada Lovelace, ${ada.email}`).waitFor();
      expect((await ended).status()).toBe(200);
      const headers = { authorization: bob.authorization };
      expect((await fetch(`${pages.url}/api/v1/users/me`, { headers })).status).toBe(401);
    });

    test('is out of the address before anything else runs or is called', async () => {
      const ada = await person();
      const page = await pages.open();
      const addresses: string[] = [];
      page.on('request', async (request) => {
        if (request.isNavigationRequest()) return;
        addresses.push(request.url(), (await request.allHeaders()).referer ?? '');
      });
      let search: unknown;
      await page.route('**/assets/main.*', async (route) => {
        // The second script has not arrived, the first one has removed the secrets.
        await expect.poll(() => page.evaluate('location.search')).toBe('');
        search = await page.evaluate('location.search');
        await route.continue();
      });
      await page.goto(await full(ada));
      await banner(page).waitFor();
      expect(search).toBe('');
      expect(addresses.join('\n')).not.toContain(tokenOf(ada));
      expect(await page.evaluate('document.referrer')).toBe('');
      await page.goBack().catch(() => {});
      expect(page.url()).not.toContain('token');
    });

    test('reaches no log', async () => {
      const ada = await person();
      const page = await pages.open(await full(ada));
      await banner(page).waitFor();
      const logged = pages.services.logged.join('');
      expect(logged).toContain('/api/v1/users/me');
      expect(logged).not.toContain(tokenOf(ada));
      expect(logged).not.toContain('session-1');
    });

    test('is left with a click, which ends the session at the server', async () => {
      const ada = await person();
      const page = await pages.open(await full(ada));
      await banner(page).getByRole('button', { name: 'Leave' }).click();
      await page.getByText('You have left the support session.').waitFor();
      await expectAccessible(page, 'support-left');
      expect(await page.content()).not.toContain(ada.email);
      const { authorization } = ada;
      const answer = await fetch(`${pages.url}/api/v1/users/me`, { headers: { authorization } });
      expect(answer.status).toBe(401);
    });

    test('replaces the session of the tab, and a new sign-in is no support session', async () => {
      const [ada, bob] = [await person(), await person({ name: 'Bob' })];
      const page = await pages.openAs(bob);
      await page.getByText(bob.email).first().waitFor();
      await page.goto(await full(ada));
      await page.getByRole('button', { name: 'Open support session' }).click();
      await banner(page).waitFor();
      expect(await page.content()).not.toContain(bob.email);
      await banner(page).getByRole('button', { name: 'Leave' }).click();
      await page.getByLabel('E-mail').fill(bob.email);
      await page.getByLabel('Password', { exact: true }).fill('secret');
      await page.keyboard.press('Enter');
      await page.getByText(bob.email).first().waitFor();
      expect(await banner(page).count()).toBe(0);
    });

    test('shows markup in a name as text', async () => {
      const ada = await person({ name: MARKUP });
      const page = await pages.open(await full(ada));
      await banner(page).getByText(MARKUP).waitFor();
      expect(await page.title()).not.toBe('owned');
    });

    const tokens = createTokens({ JWT_SECRET });
    const refusals: [string, () => Promise<string>, string][] = [
      ['a token that is not ours', async () => link({ token: 'abc', user_id: 'User-1' }), 'no longer valid'],
      [
        'a token that no header can carry',
        async () => link({ token: 'a\nb€', user_id: 'User-1' }),
        'no longer valid',
      ],
      [
        'markup as a token',
        async () => link({ token: MARKUP, user_id: MARKUP, email: MARKUP }),
        'no longer valid',
      ],
      [
        'an expired token',
        async () => {
          const { email, user_id } = await person();
          const token = tokens.session({ email, user_id }, pages.services.clock.now() - 7_200_000);
          return link({ token, user_id });
        },
        'no longer valid',
      ],
      [
        'a token of another account',
        async () => link({ token: tokenOf(await person()), user_id: (await person()).user_id }),
        'does not belong to the account',
      ],
      ['no token', async () => link({ user_id: 'User-1' }), 'incomplete'],
      ['no user_id', async () => link({ token: tokenOf(await person()) }), 'incomplete'],
    ];
    test.each(refusals)('with %s is refused in words', async (_, address, words) => {
      const page = await pages.open(await address());
      await page.getByRole('alert').getByText(words).waitFor();
      expect(page.url()).toBe(`${pages.url}/login`);
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      expect(await banner(page).count()).toBe(0);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('E-mail').waitFor();
    });

    const opened = async (mode: 'read' | 'full', options: Parameters<typeof pages.open>[1] = {}) => {
      const ada = await person({ name: 'Ada Lovelace' });
      const operator = await adminCaller(pages.services, 'admin');
      const authorization = supportBearer(ada, operator, mode, pages.services.clock.now());
      const page = await pages.open(
        link({ token: tokenOf({ authorization }), user_id: ada.user_id }),
        options,
      );
      return { ada, operator, authorization, page };
    };

    test('of an operator says on every page by whom it is and what it may do, until it is ended', async () => {
      const { ada, operator, authorization, page } = await opened('read');
      await banner(page).getByText(`Ada Lovelace, ${ada.email}`).waitFor();
      for (const path of ['/profile', '/chatbots', '/organization', '/forgot']) {
        await page.goto(path);
        await banner(page).getByText(`Read-only · by ${operator.user_id} · until`).waitFor();
      }
      await page.goto('/profile');
      await banner(page).waitFor();
      await expectAccessible(page, 'support-read-only');
      const ended = page.waitForResponse('**/api/v1/auth/logout');
      await banner(page).getByRole('button', { name: 'End' }).click();
      expect((await ended).status()).toBe(200);
      expect(await banner(page).count()).toBe(0);
      const me = await fetch(`${pages.url}/api/v1/users/me`, { headers: { authorization } });
      expect(me.status).toBe(401);
    });

    test('of an operator that is read-only says in words that nothing was changed', async () => {
      const { ada, page } = await opened('read');
      await page.getByLabel('Name', { exact: true }).fill('Mallory');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('This support session is read-only. Nothing was changed.').waitFor();
      const { users } = pages.services.db;
      expect(await users.findOne({ user_id: ada.user_id })).toMatchObject({ name: 'Ada Lovelace' });
    });

    test('of an operator speaks German', async () => {
      const { operator, page } = await opened('full', { locale: 'de-DE' });
      const german = page.getByRole('complementary', { name: 'Support-Sitzung' });
      await german.getByText(`Darf ändern · von ${operator.user_id} · bis`).waitFor();
      await german.getByRole('button', { name: 'Beenden' }).waitFor();
    });

    test('of an operator is listed for the person, who ends it', async () => {
      const ada = await person({ name: 'Ada Lovelace' });
      const operator = await adminCaller(pages.services, 'support');
      const body = { mode: 'read', minutes: 30, reason: 'Ticket 4711' };
      const { status } = await operator.call('POST', `/people/${ada.user_id}/support-sessions`, body);
      expect(status).toBe(201);
      const page = await pages.openAs(ada);
      await page.getByRole('link', { name: 'Devices' }).click();
      const words = `Operator ${operator.user_id}, in a support session`;
      await page.getByText(words, { exact: true }).waitFor();
      await page.getByRole('button', { name: `End the session of ${words}` }).click();
      await page.getByText('The operator is signed out of your account at once.').waitFor();
      await page.getByRole('button', { name: 'End session' }).click();
      await page.getByText('The session has ended.').waitFor();
      expect(await page.getByText(words, { exact: true }).count()).toBe(0);
    });

    test('that is refused has an accessible page', async () => {
      const page = await pages.open(link({ token: 'abc', user_id: 'User-1' }));
      await page.getByRole('alert').waitFor();
      await expectAccessible(page, 'support-refused');
    });

    test('without adminRedirect=true opens nothing', async () => {
      const ada = await person();
      const parameters = { adminRedirect: 'false', token: tokenOf(ada), user_id: ada.user_id };
      const page = await pages.open(`/login?${new URLSearchParams(parameters)}`);
      await page.getByLabel('E-mail').waitFor();
      expect(await banner(page).count()).toBe(0);
      expect(page.url()).toBe(`${pages.url}/login`);
    });
  },
  { env: { LOG_LEVEL: 'trace' } },
);
