import { jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeToken, send } from '../../fixtures/http.ts';
import { locationOf, newBrowser } from '../oidc/oidc-service.ts';
import { APPLE_PUBLIC_KEY, type SocialService } from './social-service.ts';
import { withSocial } from './with-social.ts';

let service: SocialService;
withSocial((started) => {
  service = started;
});
afterEach(async () => {
  await service.db.users.deleteMany({});
  await service.db.loginNames.deleteMany({});
});

const GRACE = { sub: 'grace', email: 'grace@gmail.com', email_verified: true, name: 'Grace Hopper' };

const TENANT = 'b6a1f2b0-5c1e-4a2e-9a55-0d5f1c0a7e11';

/** Lets the provider answer as Microsoft does: one document for every tenant. */
function playMicrosoft(claims: Record<string, unknown> = {}) {
  const { provider } = service;
  const { issuer } = provider;
  provider.lies.answer = ({ iss: _, ...others }) => others;
  provider.lies.claims = (honest) => ({ ...honest, tid: TENANT, iss: `${issuer}/${TENANT}/v2.0`, ...claims });
}

const me = async (access_token: string) =>
  (await send(`${service.url}/api/v1/users/me`, { headers: { authorization: `Bearer ${access_token}` } }))
    .body;

describe('a first login', () => {
  beforeEach(() => {
    service.provider.person = GRACE;
  });

  it('creates an active account without a password', async () => {
    const { status, body, headers } = await service.enter('google');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toStrictEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      user_id: expect.stringMatching(/^User-\d+$/),
    });
    expect(await me(body.access_token)).toMatchObject({
      email: 'grace@gmail.com',
      name: 'Grace Hopper',
      account_status: 'active',
      verified: true,
      language: 'en',
    });
    expect(decodeToken(body.access_token).header).not.toHaveProperty('mfa');
    const link = `google:${service.provider.issuer} grace`;
    const user = await service.db.users.findOne({ user_id: body.user_id });
    expect(user).toMatchObject({ links: [link], features_assigned: true });
    expect(user).not.toHaveProperty('activated_at');
    expect(await service.db.loginNames.findOne({ _id: link })).toMatchObject({
      user_id: body.user_id,
      email: 'grace@gmail.com',
    });
    expect((await service.enter('google')).body.user_id).toBe(body.user_id);
  });

  it.each(['google', 'apple', 'gitlab', 'corp'])('works at %s', async (name) => {
    expect((await service.enter(name)).status).toBe(200);
  });

  it('works at Microsoft, for every tenant by its own issuer', async () => {
    playMicrosoft({ xms_edov: true });
    const { status, body } = await service.enter('microsoft');
    expect(status).toBe(200);
    const user = await service.db.users.findOne({ user_id: body.user_id });
    expect(user?.links).toEqual([`microsoft:${service.provider.issuer}/${TENANT}/v2.0 grace`]);
  });

  it('works at GitHub, with the primary address', async () => {
    const { status, body } = await service.enter('github');
    expect(status).toBe(200);
    expect(await me(body.access_token)).toMatchObject({ email: 'ada@github.example', name: 'Ada Lovelace' });
  });
});

it('proves to Apple with a signed secret who we are, and takes the name from its form', async () => {
  const { provider } = service;
  provider.person = { ...GRACE, name: undefined, email_verified: 'true' };
  const browser = newBrowser(service);
  const begun = new URL(locationOf(await browser('/social/apple/login')));
  expect(begun.searchParams.get('response_mode')).toBe('form_post');
  const answered = new URL(locationOf(await browser(begun.href)));
  const user = JSON.stringify({ name: { firstName: 'Grace', lastName: 'Murray' } });
  const stranger = newBrowser(service);
  const posted = await stranger.submit('/social/apple/callback', {
    ...Object.fromEntries(answered.searchParams),
    user,
  });
  expect([posted.status, locationOf(posted)]).toEqual([
    303,
    `/social/apple/callback?state=${answered.searchParams.get('state')}&code=${answered.searchParams.get('code')}&iss=${encodeURIComponent(provider.issuer)}`,
  ]);
  const entered = await service.exchange(await browser(locationOf(posted)), browser);
  expect((await me(entered.body.access_token)).name).toBe('Grace Murray');
  const [request] = provider.tokenRequests;
  const { payload, protectedHeader } = await jwtVerify(String(request?.client_secret), APPLE_PUBLIC_KEY, {
    issuer: 'TEAM',
    subject: 'gatehouse',
    audience: provider.issuer,
    currentDate: new Date(service.clock.now()),
  });
  expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'KEY' });
  expect(Number(payload.exp) - Number(payload.iat)).toBe(300);
});
