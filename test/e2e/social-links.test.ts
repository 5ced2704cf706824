import { describe, expect, test } from 'vitest';
import { postForm, postJson, send } from '../fixtures/http.ts';
import { bearerOf, newMember } from '../fixtures/members.ts';
import { mailedCode } from '../fixtures/services.ts';
import { answerAt } from '../practice-idp/social-person.ts';
import { locationOf } from '../sso/oidc/oidc-service.ts';
import { PROVIDERS, type SocialJourney, withSocialJourney } from './social-journey.ts';

const ADA = 'ada@practice.test';

let journey: SocialJourney;
withSocialJourney((started) => {
  journey = started;
});

/** An account with a password, and a browser in which it begins links. */
async function newPerson(email = 'countess@example.com') {
  const account = await newMember(journey.db, { email });
  const authorization = bearerOf(account, journey.clock.now());
  const browser = journey.newBrowser();
  const call = (method: string, path: string) =>
    journey.call(authorization.replace('Bearer ', ''), method, path);
  const linksPath = '/api/v1/users/me/links';
  return {
    user_id: String(account.user_id),
    browser,
    call,
    links: async () => (await call('GET', linksPath)).body.links,
    unlink: (link_id: string) => call('DELETE', `${linksPath}/${link_id}`),
    /** @returns the provider's address. */
    async beginLink(provider: string): Promise<string> {
      const { status, body } = await browser.post(linksPath, { provider }, { authorization });
      expect({ status, body }).toMatchObject({ status: 200 });
      return body.redirect_url;
    },
  };
}

type Person = Awaited<ReturnType<typeof newPerson>>;

/** Links what somebody at a provider has. @returns the answer of the callback. */
async function link(person: Person, provider: string, form: Record<string, string> = { person: 'ada' }) {
  return journey.bring(person.browser, await answerAt(await person.beginLink(provider), form));
}

describe.each(PROVIDERS)('%s', (provider) => {
  test('is linked and unlinked in the profile', async () => {
    const person = await newPerson();
    const end = await link(person, provider);
    expect({ status: end.status, location: locationOf(end) }).toEqual({
      status: 303,
      location: `http://localhost:8000/profile#linked=${provider}`,
    });
    expect((await journey.logIn(provider)).user_id).toBe(person.user_id);
    const [linked, ...others] = await person.links();
    expect({ linked, others }).toEqual({
      linked: {
        link_id: expect.stringMatching(/^[\w-]{22}$/),
        provider,
        email: ADA,
        created_at: expect.any(String),
        last_login_at: expect.any(String),
      },
      others: [],
    });
    expect((await person.unlink(linked.link_id)).status).toBe(200);
    expect(await person.links()).toEqual([]);
    expect((await journey.logIn(provider)).user_id).not.toBe(person.user_id);
  });

  test('links whatever the address is, because both sides are proved', async () => {
    const person = await newPerson();
    journey.practice.social[provider].switches.add('unverified').add('no-email');
    await link(person, provider);
    expect((await journey.logIn(provider)).user_id).toBe(person.user_id);
  });

  test('a link that another browser completes is refused', async () => {
    const person = await newPerson();
    const answer = await answerAt(await person.beginLink(provider), { person: 'ada' });
    const other = journey.newBrowser();
    await journey.begin(other, provider);
    const { status, body } = await journey.bring(other, answer);
    expect({ status, body }).toEqual({ status: 400, body: expect.stringContaining('Nothing was linked') });
    expect(await person.links()).toEqual([]);
  });

  test('what opens another account is not linked', async () => {
    const { user_id } = await journey.logIn(provider);
    const person = await newPerson();
    const { status, body } = await link(person, provider);
    expect({ status, body }).toEqual({
      status: 409,
      body: expect.stringContaining('is linked to another account here'),
    });
    expect(await person.links()).toEqual([]);
    expect((await journey.logIn(provider)).user_id).toBe(user_id);
  });

  test('two accounts that link the same person concurrently: one succeeds', async () => {
    const people = [await newPerson('one@example.com'), await newPerson('two@example.com')];
    await Promise.all(people.map((person) => link(person, provider)));
    const links = await Promise.all(people.map((person) => person.links()));
    expect(links.flat()).toHaveLength(1);
  });

  test('a session that has ended links nothing', async () => {
    const person = await newPerson();
    const answer = await answerAt(await person.beginLink(provider), { person: 'ada' });
    expect((await person.call('POST', '/api/v1/auth/logout')).status).toBe(200);
    const { status, body } = await journey.bring(person.browser, answer);
    expect({ status, body }).toEqual({ status: 400, body: expect.stringContaining('Nothing was linked') });
    expect(await journey.db.users.findOne({ user_id: person.user_id })).not.toHaveProperty('links');
  });

  test('the only way into an account stays', async () => {
    const { call } = await journey.logIn(provider);
    const [linked] = (await call('GET', '/api/v1/users/me/links')).body.links;
    expect((await call('DELETE', `/api/v1/users/me/links/${linked.link_id}`)).status).toBe(409);
    await journey.logIn(provider);
  });

  test('a link needs a fresh session', async () => {
    const account = await newMember(journey.db, {});
    const authorization = bearerOf(account, journey.clock.now() - 11 * 60_000);
    const headers = { authorization };
    const begun = await postJson(`${journey.url}/api/v1/users/me/links`, { provider }, headers);
    const removed = await send(`${journey.url}/api/v1/users/me/links/x`, { method: 'DELETE', headers });
    expect([begun, removed].map(({ status, body }) => [status, body.error.code])).toEqual([
      [403, 'CONFIRMATION_REQUIRED'],
      [403, 'CONFIRMATION_REQUIRED'],
    ]);
  });

  test('takes a signup over that somebody else began with the address, and ends what they know', async () => {
    const signup = { email: ADA, password: 'of a stranger', name: 'Stranger' };
    expect((await postForm(`${journey.url}/v2/signup`, signup)).status).toBe(200);
    const code = mailedCode(journey.mailbox, ADA);
    const { user_id, profile } = await journey.logIn(provider);
    expect(await profile()).toMatchObject({ email: ADA, name: 'Ada Lovelace' });
    const { status } = await postJson(`${journey.url}/api/v1/auth/login`, signup);
    expect(status).toBe(401);
    const verified = await postForm(`${journey.url}/v2/verify-otp`, { email: ADA, otp: code });
    expect(verified.status).not.toBe(200);
    expect(await journey.db.users.countDocuments({ email: ADA })).toBe(1);
    expect((await journey.logIn(provider)).user_id).toBe(user_id);
  });

  test('a login restores an account whose deletion was asked for', async () => {
    const first = await journey.logIn(provider);
    expect((await first.call('DELETE', '/api/v1/users/me')).status).toBe(202);
    const second = await journey.logIn(provider);
    expect(second.user_id).toBe(first.user_id);
    expect(await journey.db.users.findOne({ email: ADA })).not.toHaveProperty('deletion');
  });
});

test('an address in the form of Apple is nobody’s word', async () => {
  const victim = await newMember(journey.db, { email: 'grace@practice.test' });
  const browser = journey.newBrowser();
  const answer = await answerAt(await journey.begin(browser, 'apple'), { person: 'ada' });
  const user = JSON.stringify({ name: { firstName: 'Grace' }, email: victim.email });
  const end = await journey.bring(browser, { ...answer, fields: { ...answer.fields, user } });
  const { body } = await journey.exchange(browser, end);
  expect(body.user_id).not.toBe(victim.user_id);
  const { body: profile } = await journey.call(body.access_token, 'GET', '/api/v1/users/me');
  expect(profile).toMatchObject({ email: ADA, name: 'Grace' });
});

test('the answer to a login links nothing, and that to a link logs nobody in', async () => {
  const person = await newPerson();
  const [forLogin, forLink] = [
    await journey.begin(person.browser, 'google'),
    await person.beginLink('google'),
  ];
  const end = await journey.bring(person.browser, await answerAt(forLogin, { person: 'grace' }));
  expect(locationOf(end)).toMatch(/\/sso#code=/);
  expect(await person.links()).toEqual([]);
  const linked = await journey.bring(person.browser, await answerAt(forLink, { person: 'ada' }));
  expect(locationOf(linked)).toBe('http://localhost:8000/profile#linked=google');
});

test('addresses for a provider come from the settings, not from the caller', async () => {
  const headers = { accept: 'application/json', host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const { status, body } = await send(`${journey.url}/social/google/login`, { headers });
  expect(status).toBe(200);
  expect(new URL(body.redirect_url).searchParams.get('redirect_uri')).toBe(
    'http://localhost:8000/social/google/callback',
  );
});
