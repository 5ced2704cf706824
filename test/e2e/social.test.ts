import { hasPassword } from '@gatehouse/shared/identity/ways-in';
import { describe, expect, test } from 'vitest';
import { eventsOf } from '../fixtures/audit.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { type Answered, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { atProvider } from '../practice-idp/at-provider.ts';
import { answerAt } from '../practice-idp/social-person.ts';
import { locationOf } from '../sso/oidc/oidc-service.ts';
import {
  PROVIDERS,
  type Provider,
  type SocialJourney,
  startSocialJourney,
  withSocialJourney,
} from './social-journey.ts';

const ADA = 'ada@practice.test';

let journey: SocialJourney;
withSocialJourney((started) => {
  journey = started;
});

const accounts = () => journey.db.users.find().toArray();
const switchesOf = (provider: Provider) => journey.practice.social[provider].switches;

/** Expects a page that says why nobody is logged in. */
async function expectRefused({ status, headers, body }: Answered, expected: number, text: string) {
  expect({ status, body }).toEqual({
    status: expected,
    body: expect.stringContaining('<h1>You are not signed in</h1>'),
  });
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(body).toContain(text);
}

describe.each(PROVIDERS)('%s', (provider) => {
  test('the first login creates an active account with features and no password; the second finds it', async () => {
    const first = await journey.logIn(provider);
    expect(await first.profile()).toMatchObject({ email: ADA, name: 'Ada Lovelace' });
    const [account] = await accounts();
    expect(account).toMatchObject({
      user_id: first.user_id,
      verified: true,
      account_status: 'active',
      features_assigned: true,
      links: [expect.stringContaining(provider)],
    });
    expect(account && hasPassword(account)).toBe(false);
    const second = await journey.logIn(provider);
    expect(second.user_id).toBe(first.user_id);
    expect(await second.profile()).toMatchObject({ email: ADA, name: 'Ada Lovelace' });
    expect(await accounts()).toHaveLength(1);
  });

  test('two first logins at once create one account', async () => {
    const [one, other] = await Promise.all([journey.logIn(provider), journey.logIn(provider)]);
    expect(one?.user_id).toBe(other?.user_id);
    expect(await accounts()).toHaveLength(1);
  });

  test('people have accounts of their own', async () => {
    const ada = await journey.logIn(provider);
    const grace = await journey.logIn(provider, { person: 'grace' });
    expect(grace.user_id).not.toBe(ada.user_id);
    expect(await grace.profile()).toMatchObject({ email: 'grace@practice.test', name: 'Grace Hopper' });
  });

  test('a refusal is said in words', async () => {
    const text = 'The provider did not sign you in, or you cancelled.';
    await expectRefused(await journey.visit(provider, { refuse: '1' }), 403, text);
    expect(await accounts()).toEqual([]);
  });

  test('a code that the provider does not exchange is a refusal', async () => {
    switchesOf(provider).add('token-error');
    const [event] = await eventsOf(journey, async () => {
      await expectRefused(await journey.visit(provider), 403, 'The provider did not sign you in');
    });
    expect(event).toMatchObject({
      action: 'login',
      outcome: 'provider refused',
      after: { detail: expect.stringMatching(/^(?:invalid_grant|bad_verification_code): /) },
    });
    expect(await accounts()).toEqual([]);
  });

  test('a provider that is down is said in words', async () => {
    const browser = journey.newBrowser();
    const answer = await answerAt(await journey.begin(browser, provider), { person: 'ada' });
    switchesOf(provider).add('down');
    await expectRefused(await journey.bring(browser, answer), 503, 'The provider could not be reached.');
    expect(await accounts()).toEqual([]);
  });

  test('an address that the provider has not verified makes no account, and reaches none', async () => {
    switchesOf(provider).add('unverified');
    const text = provider === 'github' ? 'no e-mail address' : 'does not vouch for your e-mail address';
    await expectRefused(await journey.visit(provider), 403, text);
    expect(await accounts()).toEqual([]);
    await newMember(journey.db, { email: ADA });
    await expectRefused(await journey.visit(provider), 403, text);
    expect((await accounts()).map(({ links }) => links)).toEqual([undefined]);
  });

  test('without an address there is no first login', async () => {
    switchesOf(provider).add('no-email');
    await expectRefused(await journey.visit(provider), 403, 'The provider sent no e-mail address.');
    expect(await accounts()).toEqual([]);
  });

  test.each(['changed', 'unverified', 'no-email'] as const)(
    'a link holds when the address is %s later',
    async (change) => {
      const { user_id } = await journey.logIn(provider);
      switchesOf(provider).add(change);
      const later = await journey.logIn(provider);
      expect(later.user_id).toBe(user_id);
      expect(await later.profile()).toMatchObject({ email: ADA });
      expect(await accounts()).toHaveLength(1);
    },
  );

  test('a subject decides, even if the provider has given it to somebody else', async () => {
    const ada = await journey.logIn(provider);
    switchesOf(provider).add('recycled');
    const grace = await journey.logIn(provider, { person: 'grace' });
    expect(grace.user_id).toBe(ada.user_id);
    expect(await grace.profile()).toMatchObject({ email: ADA });
  });

  test('a new person with a former address does not get the account', async () => {
    await journey.logIn(provider);
    switchesOf(provider).add('renewed');
    const text = 'linked to another account of this provider';
    await expectRefused(await journey.visit(provider), 403, text);
    expect((await accounts()).map(({ links }) => links?.length)).toEqual([1]);
  });

  test('a verified account with the address is linked', async () => {
    const account = await newMember(journey.db, { email: ADA, name: 'Countess' });
    const { user_id, profile } = await journey.logIn(provider);
    expect(user_id).toBe(account.user_id);
    expect(await profile()).toMatchObject({ email: ADA, name: 'Countess' });
  });

  test('an answer counts in the browser that began the login, at its provider, and once', async () => {
    const text = 'This login was not begun in this browser, or it took too long.';
    const [browser, other] = [journey.newBrowser(), journey.newBrowser()];
    await journey.begin(other, provider);
    const answer = await answerAt(await journey.begin(browser, provider), { person: 'ada' });
    const elsewhere = PROVIDERS.find((name) => name !== provider);
    const misled = {
      ...answer,
      isPosted: false,
      address: answer.address.replace(provider, String(elsewhere)),
    };
    await expectRefused(await journey.bring(browser, misled), 400, text);
    await expectRefused(await journey.bring(other, answer), 400, text);
    await expectRefused(await journey.bring(browser, answer), 400, text);
    expect(await accounts()).toEqual([]);
  });

  test('a code of a login counts in its browser, and once', async () => {
    const [browser, other] = [journey.newBrowser(), journey.newBrowser()];
    const end = await journey.visit(provider, { person: 'ada' }, browser);
    await journey.begin(other, provider);
    const statuses = [];
    for (const tries of [other, browser, browser]) statuses.push((await journey.exchange(tries, end)).status);
    expect(statuses).toEqual([400, 200, 400]);
  });

  test('an enrolled account is asked for its second factor, a disabled one is refused', async () => {
    const account = await enrolled(journey.db, journey.clock, { email: ADA });
    const browser = journey.newBrowser();
    const half = await journey.exchange(browser, await journey.visit(provider, { person: 'ada' }, browser));
    expect({ status: half.status, body: half.body }).toMatchObject({
      status: 403,
      body: { error: { code: 'SECOND_FACTOR_REQUIRED', details: { factor_token: expect.any(String) } } },
    });
    const { factor_token } = half.body.error.details;
    const whole = await browser.post('/api/v1/auth/login/factor', { factor_token, code: account.code() });
    expect({ status: whole.status, body: whole.body }).toMatchObject({
      status: 200,
      body: { user_id: account.user_id },
    });
    await journey.db.users.updateOne({ email: ADA }, { $set: { account_status: 'disabled' } });
    await expectRefused(await journey.visit(provider), 403, 'This account is disabled.');
  });
});

test('the same address at every provider is the same account', async () => {
  const people = [];
  for (const provider of PROVIDERS) people.push((await journey.logIn(provider)).user_id);
  expect(new Set(people).size).toBe(1);
  const [account] = await accounts();
  expect(account?.links).toHaveLength(PROVIDERS.length);
});

test('Google does not vouch for an address that is neither of Gmail nor of a Workspace', async () => {
  switchesOf('google').add('personal');
  await expectRefused(await journey.visit('google'), 403, 'does not vouch for your e-mail address');
});

test('a personal account of Microsoft is another person than that of a tenant', async () => {
  const { user_id } = await journey.logIn('microsoft');
  await journey.db.users.updateOne({ user_id }, { $set: { email: 'elsewhere@example.com' } });
  switchesOf('microsoft').add('personal');
  expect((await journey.logIn('microsoft')).user_id).not.toBe(user_id);
});

describe('Apple', () => {
  test('a hidden address makes an account of its own', async () => {
    await newMember(journey.db, { email: ADA });
    const { profile } = await journey.logIn('apple', { person: 'ada', hide: 'on' });
    expect(await profile()).toMatchObject({
      email: expect.stringMatching(/^[0-9a-f]{10}@privaterelay\.practice\.test$/),
      name: 'Ada Lovelace',
    });
    expect(await accounts()).toHaveLength(2);
  });

  test('the posted answer is read at the redirect, which brings the cookie', async () => {
    const browser = journey.newBrowser();
    const { fields } = await answerAt(await journey.begin(browser, 'apple'), { person: 'ada' });
    const posted = await send(`${journey.url}/social/apple/callback`, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: new URLSearchParams(fields),
    });
    const target = new URL(locationOf(posted), journey.url);
    expect({ status: posted.status, path: target.pathname }).toEqual({
      status: 303,
      path: '/social/apple/callback',
    });
    // The name of a person does not go into an address, which is logged.
    expect([...target.searchParams.keys()].toSorted()).toEqual(['code', 'state']);
    const withoutCookie = await send(target.href.replace('http://localhost:8000', journey.url), {
      headers: { accept: 'text/html' },
    });
    expect(withoutCookie.status).toBe(400);
  });
});

test('an OpenID provider that asks for a password stands in for GitLab', async () => {
  const browser = journey.newBrowser();
  const begun = await browser('/social/gitlab/login');
  const cookies = new Map<string, string>();
  const page = locationOf(await atProvider(locationOf(begun), undefined, cookies));
  const form = { username: 'ada', password: 'ada-practice' };
  const submitted = await atProvider(new URL(page, journey.practice.base).href, form, cookies);
  const answer = locationOf(await atProvider(locationOf(submitted), undefined, cookies));
  const { status, body } = await journey.exchange(browser, await browser(answer));
  expect(status).toBe(200);
  const { body: profile } = await journey.call(body.access_token, 'GET', '/api/v1/users/me');
  expect(profile).toMatchObject({ email: ADA, name: 'Ada Lovelace' });
});

test('a provider that answers too slowly is said in words', async () => {
  const slow = await startSocialJourney({ oidc: { loginTimeout: 3_000 } });
  try {
    await Promise.all(
      PROVIDERS.map(async (provider) => {
        const browser = slow.newBrowser();
        const answer = await answerAt(await slow.begin(browser, provider), { person: 'ada' });
        slow.practice.social[provider].switches.add('slow');
        await expectRefused(await slow.bring(browser, answer), 503, 'The provider could not be reached.');
      }),
    );
  } finally {
    await slow.stop();
  }
});
