import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newBrowser } from '../oidc/oidc-service.ts';
import type { Lies } from '../oidc/provider.ts';
import { type SocialService, startSocialService } from './social-service.ts';

let service: SocialService;
beforeAll(async () => {
  service = await startSocialService({ oidc: { loginTimeout: 300, documentTimeout: 300 } });
});
afterAll(() => service.stop());
beforeEach(() => {
  service.provider.reset();
  service.github.reset();
  // Documents are kept for five minutes.
  service.clock.advance(301_000);
});

const hang = () => {};
const trickle = (_request: unknown, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};
const DISCOVERY = '/.well-known/openid-configuration';

describe('a login is given up in words when', () => {
  it.each<[string, Lies['paths']]>([
    ['discovery hangs', { [DISCOVERY]: hang }],
    ['discovery never ends', { [DISCOVERY]: trickle }],
    ['the token endpoint hangs', { '/token': hang }],
    ['the token endpoint never ends', { '/token': trickle }],
    ['the key set hangs', { '/jwks': hang }],
    ['the key set never ends', { '/jwks': trickle }],
    ['userinfo hangs', { '/userinfo': hang }],
    ['userinfo never ends', { '/userinfo': trickle }],
  ])('%s', async (_what, paths = {}) => {
    const { provider } = service;
    provider.person = { sub: 'grace' };
    provider.lies = { paths };
    const browser = newBrowser(service);
    const begun = await browser('/social/corp/login');
    const answered = begun.status === 303 ? await browser(await answerOf(begun.headers, browser)) : begun;
    expect([answered.status, answered.body]).toEqual([
      503,
      expect.stringContaining('The provider could not be reached. Please try again in a few minutes'),
    ]);
  });

  it.each(['/user', '/user/emails', '/login/oauth/access_token'])('GitHub hangs at %s', async (path) => {
    service.github.hangs = path;
    expect((await service.socialLogin('github')).status).toBe(503);
  });
});

const answerOf = async (headers: Headers, browser: ReturnType<typeof newBrowser>): Promise<string> =>
  String((await browser(String(headers.get('location')))).headers.get('location'));
