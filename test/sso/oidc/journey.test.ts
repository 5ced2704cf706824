import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connection } from '@gatehouse/sso/connection-records';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../fixtures/http.ts';
import { type Browser, locationOf, newBrowser, type OidcService, startOidcService } from './oidc-service.ts';
import { CLIENT_ID, CLIENT_SECRET } from './provider.ts';

/** The provider of others: https://github.com/panva/node-oidc-provider. */
let service: OidcService;
let server: Server;
let issuer: string;
let connection: Connection;

beforeAll(async () => {
  service = await startOidcService();
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const slug = 'oidc-provider';
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: ['http://localhost:8000/oauth/callback'],
        post_logout_redirect_uris: ['http://localhost:8000/'],
        backchannel_logout_uri: `${service.url}/oauth/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'role'],
    },
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    cookies: { keys: ['a key for the cookies of a test'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@corp.example`,
        email_verified: true,
        given_name: 'Grace',
        family_name: 'Hopper',
        role: 'Editor',
      }),
    }),
    // Its own dispatcher refuses loopback addresses.
    fetch: (url, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown } = {}) =>
      fetch(url, options),
  });
  server.on('request', provider.callback());
  const organization = await service.newOrganization();
  connection = await service.connect(
    organization,
    { issuer },
    {
      slug,
      attributes: {
        email: 'email',
        firstName: 'given_name',
        lastName: 'family_name',
        role: 'role',
        department: 'department',
      },
      default_department_id: organization.department_id,
    },
  );
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await service.stop();
});

/** Follows redirects and fills in forms. @returns the first address that is not the provider's, or its last page. */
async function passProvider(browser: ProviderBrowser, start: string, fields: Record<string, string>) {
  let address = start;
  for (let step = 0; step < 20; step += 1) {
    if (!address.startsWith(issuer)) return address;
    const { status, headers, text } = await browser.get(address);
    if (status >= 300 && status < 400) {
      address = new URL(String(headers.get('location')), address).href;
      continue;
    }
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
    if (!action) return address;
    const hidden = [...text.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)];
    const form = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), ...fields };
    const target = new URL(action, address).href;
    const posted = await browser.post(target, form);
    if (!posted.headers.has('location')) return target;
    address = new URL(String(posted.headers.get('location')), target).href;
  }
  throw new Error('the provider redirects without end');
}

/** A browser at the provider. */
function providerBrowser() {
  const cookies = new Map<string, string>();
  async function visit(url: string, init: RequestInit = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  return {
    get: (url: string) => visit(url),
    post: (url: string, form: Record<string, string>) =>
      visit(url, { method: 'POST', body: new URLSearchParams(form) }),
  };
}
type ProviderBrowser = ReturnType<typeof providerBrowser>;

/** oidc-provider reads the real clock. */
const syncClock = () => service.clock.advance(Math.floor((Date.now() - service.clock.now()) / 1000));

const logIn = async (browser: Browser, atProvider: ProviderBrowser) => {
  syncClock();
  return passProvider(atProvider, locationOf(await browser(`/oauth/login/${connection.slug}`)), {
    login: 'grace',
    password: 'any',
  });
};

test('logs in with oidc-provider, exchanges the code, and logs out over the back channel', async () => {
  const browser = newBrowser(service);
  const atProvider = providerBrowser();
  const answer = await logIn(browser, atProvider);
  expect(answer).toMatch(/^http:\/\/localhost:8000\/oauth\/callback\?/);
  const finished = await browser(answer);
  expect(finished.status).toBe(303);
  const code = new URL(locationOf(finished)).hash.replace('#code=', '');
  const { status, body } = await browser.post('/api/v1/auth/sso/exchange', { code });
  expect(status).toBe(200);
  const me = () =>
    send(`${service.url}/api/v1/users/me`, { headers: { authorization: `Bearer ${body.access_token}` } });
  expect((await me()).body).toMatchObject({ email: 'grace@corp.example', name: 'Grace Hopper' });
  const { user_id } = (await service.db.users.findOne({ email: 'grace@corp.example' })) ?? {};
  expect(await service.db.memberships.findOne({ user_id: String(user_id) })).toMatchObject({
    role: 'Editor',
  });
  const [session] = await service.db.ssoSessions.find({ user_id: String(user_id) }).toArray();
  expect(session?.provider_sid).toMatch(/./);

  // The person logs out at the provider, which tells this service.
  await passProvider(atProvider, `${issuer}/session/end`, { logout: 'yes' });
  await expect.poll(async () => (await me()).status).toBe(401);
  expect(await service.db.ssoSessions.countDocuments({ user_id: String(user_id) })).toBe(0);
});

test('refuses in words when the person cancels at the provider', async () => {
  const browser = newBrowser(service);
  const begun = new URL(locationOf(await browser(`/oauth/login/${connection.slug}`)));
  begun.searchParams.set('prompt', 'none');
  const answer = locationOf(await browser(begun.href));
  expect(answer).toContain('error=login_required');
  await service.expectRefusal(() => browser(answer), {
    status: 403,
    outcome: 'provider refused',
    detail: /^login_required: /,
    text: /refused the login/,
  });
});

test('refuses a code that has been used, with the words of oidc-provider', async () => {
  const browser = newBrowser(service);
  const used = new URL(await logIn(browser, providerBrowser()));
  expect((await browser(used.href)).status).toBe(303);
  const next = new URL(await logIn(browser, providerBrowser()));
  next.searchParams.set('code', String(used.searchParams.get('code')));
  await service.expectRefusal(() => browser(next.href), {
    status: 403,
    outcome: 'provider refused',
    detail: /invalid_grant/,
  });
});
