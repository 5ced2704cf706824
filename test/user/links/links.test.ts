import { unusableHash } from '@gatehouse/shared/identity/passwords';
import { newSessionId } from '@gatehouse/shared/identity/tokens';
import type { LoginName } from '@gatehouse/shared/identity/ways-in';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimName, confirmListed } from '../../../services/user/links/claim-name.ts';
import { eventsOf } from '../../fixtures/audit.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { type Answered, postJson, send } from '../../fixtures/http.ts';
import { bearerOf } from '../../fixtures/members.ts';
import { type Browser, locationOf, newBrowser } from '../../sso/oidc/oidc-service.ts';
import type { SocialService } from '../../sso/social/social-service.ts';
import { withSocial } from '../../sso/social/with-social.ts';
import { mailedUndo, newAddress, type Person, personOf, undo } from '../account/address-changes.ts';

let service: SocialService;
let ada: Person;
withSocial((started) => {
  service = started;
});
beforeEach(async () => {
  service.provider.person = { sub: 'ada', email: 'ada@gmail.com', email_verified: false };
  ada = await personOf(service);
});
afterEach(async () => {
  const { db } = service;
  await Promise.all([db.users, db.loginNames].map((each) => each.deleteMany({})));
});

const LINK = () => `google:${service.provider.issuer} ada`;

const call = (method: string, path: string, authorization: string): Promise<Answered> =>
  send(`${service.url}/api/v1/users/me/links${path}`, { method, headers: { authorization } });

/** Begins to link, in a browser, and lets the provider answer. @returns where it sends the browser. */
async function beginLink(person: Person, browser: Browser, authorization = person.authorization) {
  const begun = await browser.post('/api/v1/users/me/links', { provider: 'google' }, { authorization });
  expect([begun.status, begun.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return locationOf(await browser(begun.body.redirect_url));
}

async function link(person: Person): Promise<Answered> {
  const browser = newBrowser(service);
  return browser(await beginLink(person, browser));
}

const reasonOf = ({ status, body }: Answered) => [status, body.error?.code];

describe('linking in the profile', () => {
  it('needs no vouched address, tells the person and opens the account from then on', async () => {
    let answered: Answered | undefined;
    const events = await eventsOf(service, async () => {
      answered = await link(ada);
    });
    expect([answered?.status, locationOf(answered as Answered)]).toEqual([
      303,
      'http://localhost:8000/profile#linked=google',
    ]);
    expect(events.map(({ action, user_id, after }) => [action, user_id, after])).toEqual([
      ['link.add', ada.user_id, { provider: 'google' }],
    ]);
    const { body } = await call('GET', '', ada.authorization);
    expect(body).toStrictEqual({
      links: [
        {
          link_id: expect.stringMatching(/^[\w-]{22}$/),
          provider: 'google',
          email: 'ada@gmail.com',
          created_at: new Date(service.clock.now()).toISOString(),
          last_login_at: null,
        },
      ],
    });
    expect((await service.enter('google')).body.user_id).toBe(ada.user_id);
    await eventually(() =>
      expect(service.mailbox.mails.map(({ content }) => content.subject)).toContain(
        'Your account has a new way to sign in',
      ),
    );
  });

  it('changes nothing the second time', async () => {
    await link(ada);
    const before = (await ada.stored())?.links;
    expect((await link(ada)).status).toBe(303);
    expect((await ada.stored())?.links).toEqual(before);
  });

  it('is refused if another account has the link', async () => {
    await link(ada);
    const eve = await personOf(service);
    const refused = await link(eve);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.stringContaining('<h1>Nothing was linked</h1>'),
    ]);
    expect(await eve.stored()).not.toHaveProperty('links');
    expect(await service.db.loginNames.findOne({ _id: LINK() })).toMatchObject({ user_id: ada.user_id });
  });

  it('is refused in another browser', async () => {
    const answer = await beginLink(ada, newBrowser(service));
    const victim = newBrowser(service);
    await service.beginSocial('google', victim);
    expect((await victim(answer)).status).toBe(400);
    expect(await ada.stored()).not.toHaveProperty('links');
  });

  it.each<[string, object]>([
    ['the session', { ended_sessions: [] }],
    ['the account', { account_status: 'disabled' }],
  ])('is refused if %s has ended meanwhile', async (what, fields) => {
    const browser = newBrowser(service);
    const answer = await beginLink(ada, browser);
    if (what === 'the session')
      await send(`${service.login}/auth/logout`, {
        method: 'POST',
        headers: { authorization: ada.authorization },
      });
    else await service.db.users.updateOne({ _id: ada._id }, { $set: fields });
    expect((await browser(answer)).status).toBe(400);
    expect(await ada.stored()).not.toHaveProperty('links');
  });

  it('needs a fresh session and a known provider', async () => {
    const begin = (provider: string, authorization: string) =>
      postJson(`${service.url}/api/v1/users/me/links`, { provider }, { authorization });
    expect(reasonOf(await begin('evil', ada.authorization))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    const now = service.clock.now();
    const stale = bearerOf(ada, now, { sid: newSessionId(now - 601_000) });
    expect(reasonOf(await begin('google', stale))).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect(reasonOf(await call('DELETE', '/x', stale))).toEqual([403, 'CONFIRMATION_REQUIRED']);
  });

  it('links one of two accounts that name one person at once', async () => {
    const eve = await personOf(service);
    const browsers = [newBrowser(service), newBrowser(service)] as const;
    const answers = [await beginLink(ada, browsers[0]), await beginLink(eve, browsers[1])] as const;
    await Promise.all([browsers[0](answers[0]), browsers[1](answers[1])]);
    const holders = await service.db.users.find({ links: LINK() }).toArray();
    const name = await service.db.loginNames.findOne({ _id: LINK() });
    expect(holders.length).toBeLessThan(2);
    for (const holder of holders) expect(holder.user_id).toBe(name?.user_id);
  });

  it('keeps a link that an account has listed since another call read its name', async () => {
    const eve = await personOf(service);
    const name = {
      _id: LINK(),
      user_id: ada.user_id,
      email: null,
      created_at: new Date(service.clock.now()),
    };
    const claim = (known: LoginName | undefined, user_id: string) =>
      claimName(service.db, known, { ...name, user_id });
    expect(await claim(undefined, ada.user_id)).toBe(true);
    expect(await confirmListed(service.db, name, service.clock.now())).toBe(true);
    expect(await claim(name, eve.user_id)).toBe(false);
    expect(await service.db.loginNames.findOne({ _id: LINK() })).toMatchObject({ user_id: ada.user_id });
  });
});

describe('removing a link', () => {
  const linkId = async () => (await call('GET', '', ada.authorization)).body.links[0].link_id;

  it('ends it, every other session and a login under way', async () => {
    await link(ada);
    const entered = await service.enter('google');
    const browser = newBrowser(service);
    const underWay = await service.socialLogin('google', browser);
    service.clock.advance(1);
    const id = await linkId();
    const removed = await call('DELETE', `/${id}`, ada.authorization);
    expect([removed.status, removed.body]).toEqual([200, { message: 'Link removed' }]);
    expect(await ada.status(`Bearer ${entered.body.access_token}`)).toBe(401);
    expect(await ada.status()).toBe(200);
    expect((await service.exchange(underWay, browser)).status).toBe(400);
    expect((await ada.stored())?.links).toEqual([]);
    expect(await service.db.loginNames.countDocuments()).toBe(0);
    expect(reasonOf(await call('DELETE', `/${id}`, ada.authorization))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect((await service.socialLogin('google')).status).toBe(403);
  });

  it('is refused for the last way in, also for two links at once', async () => {
    const password = unusableHash();
    const links = [LINK(), `google:${service.provider.issuer} other`];
    await service.db.users.updateOne({ _id: ada._id }, { $set: { password, links } });
    const at = new Date(0);
    await service.db.loginNames.insertMany(
      links.map((_id) => ({ _id, user_id: ada.user_id, email: null, created_at: at })),
    );
    const ids: string[] = (await call('GET', '', ada.authorization)).body.links.map(
      (each: { link_id: string }) => each.link_id,
    );
    const answers = await Promise.all(ids.map((id) => call('DELETE', `/${id}`, ada.authorization)));
    expect(answers.map(reasonOf).sort()).toEqual([
      [200, undefined],
      [409, 'LAST_WAY_IN'],
    ]);
    expect((await ada.stored())?.links).toHaveLength(1);
  });

  it.each([
    ['a provider that is no longer offered', { link: 'former:https://id.example ada', status: 409 }],
    ['an issuer that the provider no longer has', { link: 'corp:https://former.example ada', status: 409 }],
    ['a name that another account has', { link: 'elsewhere', status: 409 }],
    ['a tenant of Microsoft', { link: 'microsoft:https://login.example/tenant/v2.0 ada', status: 200 }],
  ])('beside one of %s', async (_what, { link: other, status }) => {
    const { db } = service;
    const links = [LINK(), other === 'elsewhere' ? `google:${service.provider.issuer} other` : other];
    await db.users.updateOne({ _id: ada._id }, { $set: { password: unusableHash(), links } });
    await db.loginNames.insertMany(
      links.map((_id, index) => ({
        _id,
        user_id: index === 1 && other === 'elsewhere' ? 'User-100000' : ada.user_id,
        email: null,
        created_at: new Date(index),
      })),
    );
    expect((await call('DELETE', `/${await linkId()}`, ada.authorization)).status).toBe(status);
  });

  it('does not find a link of another account', async () => {
    await link(ada);
    const id = await linkId();
    const eve = await personOf(service);
    expect(reasonOf(await call('DELETE', `/${id}`, eve.authorization))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect((await ada.stored())?.links).toEqual([LINK()]);
  });
});

describe('a login name', () => {
  beforeEach(() => {
    service.provider.person = { sub: 'new', email: 'new@gmail.com', email_verified: true };
  });
  const NAME = () => `google:${service.provider.issuer} new`;

  it.each([2, 5])('makes one account of %d concurrent first logins', async (count) => {
    const browsers = Array.from({ length: count }, () => newBrowser(service));
    const answers = await Promise.all(browsers.map((browser) => service.beginSocial('google', browser)));
    const done = await Promise.all(browsers.map((browser, index) => browser(String(answers[index]))));
    expect(done.map(({ status }) => status)).toEqual(done.map(() => 303));
    const users = await service.db.users.find({ email: 'new@gmail.com' }).toArray();
    expect(users.map((user) => user.links)).toEqual([[NAME()]]);
    expect(await service.db.loginNames.findOne({ _id: NAME() })).toMatchObject({
      user_id: users[0]?.user_id,
    });
  });

  it('whose account was not written opens nothing, and the next login takes it over', async () => {
    const { db } = service;
    await db.loginNames.insertOne({
      _id: NAME(),
      user_id: 'User-999998',
      email: 'new@gmail.com',
      created_at: new Date(0),
    });
    const { body } = await service.enter('google');
    // It may be that of a deleted account.
    expect(body.user_id).not.toBe('User-999998');
    expect(await db.loginNames.findOne({ _id: NAME() })).toMatchObject({ user_id: body.user_id });
    expect((await db.users.findOne({ user_id: body.user_id }))?.links).toEqual([NAME()]);
  });

  it('whose account does not name it opens nothing', async () => {
    const { db } = service;
    await db.loginNames.insertOne({
      _id: NAME(),
      user_id: ada.user_id,
      email: null,
      created_at: new Date(0),
    });
    const { body } = await service.enter('google');
    expect(body.user_id).not.toBe(ada.user_id);
    expect(await db.loginNames.findOne({ _id: NAME() })).toMatchObject({ user_id: body.user_id });
  });

  it('that an account names without its record is written again', async () => {
    const { db } = service;
    const { body } = await service.enter('google');
    await db.loginNames.deleteMany({});
    expect((await service.enter('google')).body.user_id).toBe(body.user_id);
    expect((await db.users.findOne({ user_id: body.user_id }))?.links).toEqual([NAME()]);
  });
});

describe('undoing a change of the address', () => {
  it.each([
    ['removes a link that was made since', true],
    ['keeps an earlier link', false],
  ])('%s, and ends a login under way', async (_what, isLate) => {
    const { db, clock } = service;
    const evil = newAddress();
    if (!isLate) await link(ada);
    clock.advance(1);
    const authorization = await ada.change(evil);
    clock.advance(1);
    if (isLate) await link({ ...ada, authorization });
    const browser = newBrowser(service);
    const underWay = await service.socialLogin('google', browser);
    clock.advance(1);
    const events = await eventsOf(service, async () => {
      expect((await undo(service.url, await mailedUndo(service, ada.email))).status).toBe(200);
    });

    const kept = isLate ? [] : [LINK()];
    expect((await ada.stored())?.links).toEqual(kept);
    expect((await db.loginNames.find().toArray()).map(({ _id }) => _id)).toEqual(kept);
    expect(events.map(({ action }) => action)).toEqual(
      isLate ? ['email.undo', 'link.remove'] : ['email.undo'],
    );
    expect((await service.exchange(underWay, browser)).status).toBe(400);
    expect((await service.socialLogin('google')).status).toBe(isLate ? 403 : 303);
  });
});
