import { exportSPKI, SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { type Answered, send } from '../../fixtures/http.ts';
import { locationOf, newBrowser } from '../oidc/oidc-service.ts';
import { CLIENT_SECRET, newKey, sendJson } from '../oidc/provider.ts';
import type { SocialService } from './social-service.ts';
import { withSocial } from './with-social.ts';

let service: SocialService;
withSocial((started) => {
  service = started;
});
beforeEach(() => {
  service.provider.person = { sub: 'grace', email: 'grace@gmail.com', email_verified: true };
});

/** Expects that a step is refused with a reason, in words, and that nobody gets an account, a link or a code. */
async function expectRefusal(
  step: () => Promise<Answered>,
  { status, outcome, detail }: { status: number; outcome: string; detail?: RegExp },
): Promise<void> {
  const { db } = service;
  const made = () =>
    Promise.all([db.users.countDocuments(), db.loginNames.countDocuments(), db.socialCodes.countDocuments()]);
  const before = await made();
  let answered: Answered | undefined;
  const events = await eventsOf(service, async () => {
    answered = await step();
  });
  expect([answered?.status, events.map((event) => [event.action, event.outcome])]).toEqual([
    status,
    [['login', outcome]],
  ]);
  if (detail) expect(events[0]?.after?.detail).toMatch(detail);
  expect(answered?.body).toMatch(/<p>[A-Z][^<]+\.<\/p>/);
  expect(await made()).toEqual(before);
}

const refused = { status: 403, outcome: 'message refused' };
const notBegun = { status: 400, outcome: 'login not begun here' };

describe('an ID token is refused', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['of another issuer', { iss: 'https://evil.example' }, /"iss"/],
    ['for another client', { aud: 'another' }, /"aud"/],
    ['for another party', { aud: ['gatehouse', 'another'], azp: 'another' }, /azp/],
    ['with the nonce of another login', { nonce: 'another' }, /nonce/],
    ['without a nonce', { nonce: undefined }, /nonce/],
    ['without a subject', { sub: undefined }, /sub/],
    ['with an endless subject', { sub: 'x'.repeat(256) }, /sub/],
    ['with a subject that is no text', { sub: ['grace'] }, /sub/],
    ['with a subject that is not well-formed', { sub: '\ud800' }, /sub/],
    ['that has expired', { exp: 1 }, /exp/],
    ['from the future', { iat: 9_999_999_999, exp: 9_999_999_999 }, /iat|future/],
  ])('%s', async (_what, claims, detail) => {
    service.provider.lies.claims = (honest) => JSON.parse(JSON.stringify({ ...honest, ...claims }));
    await expectRefusal(() => service.socialLogin('google'), { ...refused, detail });
  });

  it('that nobody signed', async () => {
    service.provider.lies.sign = (claims) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${part({ alg: 'none' })}.${part(claims)}.`;
    };
    await expectRefusal(() => service.socialLogin('google'), refused);
  });

  it.each(['the client secret', 'the public key'])('that is signed with %s', async (what) => {
    const spki = await exportSPKI(service.provider.key.publicKey);
    const secret = new TextEncoder().encode(what === 'the public key' ? spki : CLIENT_SECRET);
    service.provider.lies.sign = (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: String(service.provider.key.jwk.kid) })
        .sign(secret);
    await expectRefusal(() => service.socialLogin('google'), refused);
  });

  it('that a key of nobody signed', async () => {
    const { sign } = await newKey('RS256');
    service.provider.lies.sign = (claims) => sign(claims);
    await expectRefusal(() => service.socialLogin('google'), refused);
  });
});

describe('Microsoft', () => {
  const TENANT = 'b6a1f2b0-5c1e-4a2e-9a55-0d5f1c0a7e11';
  const OTHER = '9188040d-6c67-4c5b-b112-36a304b66dad';
  const play = (claims: Record<string, unknown>) => {
    const { provider } = service;
    provider.lies.answer = ({ iss: _, ...others }) => others;
    provider.lies.claims = (honest) => ({ ...honest, tid: TENANT, xms_edov: true, ...claims });
  };

  it.each<[string, () => Record<string, unknown>, { status: number; outcome: string }]>([
    [
      'a tenant that speaks for another',
      () => ({ iss: `${service.provider.issuer}/${OTHER}/v2.0` }),
      refused,
    ],
    ['the template as issuer', () => ({ iss: `${service.provider.issuer}/{tenantid}/v2.0` }), refused],
    [
      'a tenant that is no id',
      () => ({ tid: '../evil', iss: `${service.provider.issuer}/../evil/v2.0` }),
      refused,
    ],
    ['no tenant', () => ({ tid: undefined, iss: `${service.provider.issuer}//v2.0x` }), refused],
    ['another nonce', () => ({ iss: `${service.provider.issuer}/${TENANT}/v2.0`, nonce: 'x' }), refused],
    [
      'a subject that is no text',
      () => ({ iss: `${service.provider.issuer}/${TENANT}/v2.0`, sub: ['grace'] }),
      refused,
    ],
    [
      'an address that only its tenant knows',
      () => ({ iss: `${service.provider.issuer}/${TENANT}/v2.0`, xms_edov: false }),
      { status: 403, outcome: 'email not verified' },
    ],
    [
      'email_verified, which Microsoft never sends',
      () => ({ iss: `${service.provider.issuer}/${TENANT}/v2.0`, xms_edov: undefined, email_verified: true }),
      { status: 403, outcome: 'email not verified' },
    ],
  ])('is refused with %s', async (_what, claims, expected) => {
    play(claims());
    await expectRefusal(() => service.socialLogin('microsoft'), expected);
  });
});

describe('a key of Microsoft', () => {
  const TENANT = 'b6a1f2b0-5c1e-4a2e-9a55-0d5f1c0a7e11';

  it.each([
    ['of every tenant', '{tenantid}', 303],
    ['of the same tenant', TENANT, 303],
    ['of another tenant', '9188040d-6c67-4c5b-b112-36a304b66dad', 403],
  ])('%s', async (_what, tenant, status) => {
    const { provider, clock } = service;
    clock.advance(301_000); // The key set is kept for five minutes.
    const issuer = `${provider.issuer}/${tenant}/v2.0`;
    provider.keys = [Object.assign({}, provider.key.jwk, { issuer })];
    provider.lies.answer = ({ iss: _, ...others }) => others;
    provider.lies.claims = (honest) => ({
      ...honest,
      iss: `${provider.issuer}/${TENANT}/v2.0`,
      tid: TENANT,
      xms_edov: true,
    });
    expect((await service.socialLogin('microsoft')).status).toBe(status);
    clock.advance(301_000);
  });
});

describe('Google', () => {
  it.each([
    ['grace@yahoo.example', undefined, 403],
    ['grace@gmail.com.evil.example', undefined, 403],
    ['grace@corp.example', '', 403],
    ['grace@corp.example', 'corp.example', 303],
  ])('vouches for %s with hd %s: %d', async (email, hd, status) => {
    service.provider.person = { sub: email, email, email_verified: true, hd };
    expect((await service.socialLogin('google')).status).toBe(status);
  });
});

describe('GitHub', () => {
  it.each<[string, unknown]>([
    ['an unverified primary address', [{ email: 'eve@github.example', primary: true, verified: false }]],
    [
      'a verified address that is not primary',
      [{ email: 'eve@github.example', primary: false, verified: true }],
    ],
    ['no address', []],
  ])('does not vouch for %s', async (_what, emails) => {
    service.github.emails = emails;
    await expectRefusal(() => service.socialLogin('github'), { status: 403, outcome: 'email missing' });
  });

  it.each<[string, object, { status: number; outcome: string }]>([
    ['a user without an id', { person: { login: 'eve' } }, { status: 400, outcome: 'message malformed' }],
    ['an id that is text', { person: { id: '583231' } }, { status: 400, outcome: 'message malformed' }],
    [
      'emails that are no list',
      { emails: { email: 'eve@github.example' } },
      { status: 400, outcome: 'message malformed' },
    ],
  ])('is refused with %s', async (_what, lies, expected) => {
    Object.assign(service.github, lies);
    await expectRefusal(() => service.socialLogin('github'), expected);
  });

  it('is refused with the issuer of another server', async () => {
    service.github.answer = (honest) => ({ ...honest, iss: 'https://evil.example' });
    await expectRefusal(() => service.socialLogin('github'), refused);
    expect(service.github.calls.map(({ path }) => path)).toEqual(['/login/oauth/authorize']);
  });
});

describe('an answer is refused', () => {
  it('in another browser', async () => {
    const answer = await service.beginSocial('google', newBrowser(service));
    const victim = newBrowser(service);
    await service.beginSocial('google', victim);
    await expectRefusal(() => victim(answer), notBegun);
  });

  it('the second time', async () => {
    const browser = newBrowser(service);
    const answer = await service.beginSocial('google', browser);
    expect((await browser(answer)).status).toBe(303);
    await expectRefusal(() => browser(answer), notBegun);
  });

  it('after ten minutes', async () => {
    const browser = newBrowser(service);
    const answer = await service.beginSocial('google', browser);
    service.clock.advance(601_000);
    await expectRefusal(() => browser(answer), notBegun);
  });

  it('at the callback of another provider, whose login goes on', async () => {
    const browser = newBrowser(service);
    const answer = await service.beginSocial('google', browser);
    await expectRefusal(() => browser(answer.replace('/social/google/', '/social/corp/')), notBegun);
    expect((await browser(answer)).status).toBe(303);
  });

  it('with the code of another login', async () => {
    const [mine, theirs] = [newBrowser(service), newBrowser(service)];
    const stolen = new URL(await service.beginSocial('google', theirs)).searchParams.get('code');
    const answer = new URL(await service.beginSocial('google', mine));
    answer.searchParams.set('code', String(stolen));
    await expectRefusal(() => mine(answer.href), { status: 403, outcome: 'provider refused' });
  });

  it('that names another issuer, before its code goes anywhere', async () => {
    service.provider.lies.answer = (honest) => ({ ...honest, iss: 'https://evil.example' });
    await expectRefusal(() => service.socialLogin('google'), refused);
    expect(service.provider.tokenRequests).toEqual([]);
  });

  it('in which the person has refused', async () => {
    service.provider.lies.answer = ({ state }) => ({
      error: 'access_denied',
      state: String(state),
      iss: service.provider.issuer,
    });
    await expectRefusal(() => service.socialLogin('google'), { status: 403, outcome: 'provider refused' });
  });

  it.each(['', 'state=a&state=b', 'state=unknown'])('with the query %j', async (query) => {
    await expectRefusal(() => newBrowser(service)(`/social/google/callback?${query}`), notBegun);
  });
});

it('no state of single sign-on counts here, nor the reverse', async () => {
  const organization = await service.newOrganization();
  const connection = await service.connect(organization, service.provider);
  const browser = newBrowser(service);
  const social = new URL(await service.beginSocial('google', browser));
  const sso = new URL(await service.beginLogin(connection, browser));
  await expectRefusal(() => browser(`/social/google/callback${sso.search}`), notBegun);
  expect((await browser(`/oauth/callback${social.search}`)).status).toBe(400);
  expect((await browser(social.href)).status).toBe(303);
});

it('a code counts once, in its browser, for a minute', async () => {
  const [browser, other] = [newBrowser(service), newBrowser(service)];
  const answered = await service.socialLogin('google', browser);
  await service.beginSocial('google', other);
  expect((await service.exchange(answered, other)).status).toBe(400);
  expect((await service.exchange(answered, browser)).status).toBe(200);
  expect((await service.exchange(answered, browser)).status).toBe(400);
  const late = await service.socialLogin('google', browser);
  service.clock.advance(61_000);
  expect((await service.exchange(late, browser)).status).toBe(400);
});

it('a provider that is down ends the login', async () => {
  service.provider.lies.paths = { '/token': (_request, response) => sendJson(response, {}, 503) };
  await expectRefusal(() => service.socialLogin('google'), { status: 503, outcome: 'provider unavailable' });
});

it('the audit of a refused login holds no endless name of a provider', async () => {
  const [event] = await eventsOf(service, async () => {
    await send(`${service.url}/social/${'x'.repeat(10_000)}/login`);
  });
  expect(String(event?.after?.provider).length).toBeLessThan(100);
});

it('an unknown provider is not found', async () => {
  const answered = await send(`${service.url}/social/evil/login`, {
    headers: { accept: 'application/json' },
  });
  service.failure(
    answered,
    404,
    'RESOURCE_NOT_FOUND',
    'There is no such way to sign in. Begin on the sign-in page.',
  );
});

it('stores no token of a provider', async () => {
  const { body } = await service.enter('google');
  const { db } = service;
  const stored = JSON.stringify([
    await db.users.findOne({ user_id: body.user_id }),
    await db.loginNames.find().toArray(),
    await db.auditEvents.find().toArray(),
  ]);
  expect(stored).not.toMatch(/eyJ|"access"/);
});

it('redirects nowhere but to the pages and the provider', async () => {
  const browser = newBrowser(service);
  const begun = await browser(
    '/social/google/login?redirect_uri=https://evil.example&return_to=https://evil.example',
  );
  expect(new URL(locationOf(begun)).searchParams.get('redirect_uri')).toBe(
    'http://localhost:8000/social/google/callback',
  );
  const posted = await browser.submit('/social/apple/callback', {
    state: '//evil.example',
    code: '\r\nx: y',
  });
  expect(locationOf(posted)).toBe('/social/apple/callback?state=%2F%2Fevil.example&code=%0D%0Ax%3A+y');
});
