import { createPrivateKey, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, { type Configuration } from 'oidc-provider';
import { loginPage, messagePage, readForm, sendPage } from './pages.ts';
import { paused, type Staff } from './people.ts';
import type { SigningKey } from './signing-key.ts';

export const CLIENT_ID = 'gatehouse';
export const CLIENT_SECRET = 'practice-client-secret';

const LOGIN = /^\/login\/([\w-]+)$/;
const HOUR = 3_600;

/** An OpenID Connect provider (https://github.com/panva/node-oidc-provider) with the people of ./people.ts. */
export function createOidcProvider(issuer: string, gatehouse: string, key: SigningKey, staff: Staff) {
  /** The grants of each person: a refresh token is invalid without its grant. */
  const grants = new Map<string, { destroy(): Promise<unknown> }[]>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${gatehouse}/oauth/callback`, `${gatehouse}/social/gitlab/callback`],
        grant_types: ['authorization_code', 'refresh_token'],
        backchannel_logout_uri: `${gatehouse}/oauth/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: {
      keys: [{ ...createPrivateKey(key.privateKey).export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }],
    } as NonNullable<Configuration['jwks']>,
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile', 'offline_access'],
    // The library wants prompt=consent for it, which few providers do.
    issueRefreshToken: async () => true,
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'role', 'department'],
    },
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
    },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    ttl: {
      AccessToken: HOUR,
      AuthorizationCode: 60,
      Grant: 24 * HOUR,
      IdToken: HOUR,
      Interaction: HOUR,
      RefreshToken: 24 * HOUR,
      Session: HOUR,
    },
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    findAccount: (_context, uid) => {
      const person = staff.find(uid);
      return (
        person && {
          accountId: uid,
          claims: () => ({
            sub: uid,
            email: person.email,
            email_verified: true,
            name: `${person.firstName} ${person.lastName}`,
            given_name: person.firstName,
            family_name: person.lastName,
            role: person.role,
            department: person.department,
          }),
        }
      );
    },
    // No consent page.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        accountId: String(oidc.session?.accountId),
        clientId: String(oidc.client?.clientId),
      });
      grant.addOIDCScope('openid email profile offline_access');
      await grant.save();
      const { accountId = '' } = grant;
      grants.set(accountId, [...(grants.get(accountId) ?? []), grant]);
      return grant;
    },
    // The library's own dispatcher refuses loopback addresses, and Gatehouse is on this machine.
    fetch: (url, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown } = {}) =>
      fetch(url, options),
  });
  const callback = provider.callback();

  async function logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const action = request.url ?? '';
    if (request.method !== 'POST') return sendPage(response, loginPage(action, {}));
    const { username = '', password = '' } = await readForm(request);
    const person = staff.check(username, password);
    if (!person) return sendPage(response, loginPage(action, {}, 'The password is wrong.'), 401);
    await provider.interactionFinished(request, response, { login: { accountId: person.uid } });
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    if (!LOGIN.test(request.url ?? '')) return void paused(staff).then(() => callback(request, response));
    logIn(request, response).catch((error: Error) => {
      if (!response.headersSent) sendPage(response, messagePage(`The login failed: ${error.message}.`), 400);
    });
  };
  /** Invalidates the refresh tokens of a person. */
  async function revoke(uid: string): Promise<void> {
    for (const grant of grants.get(uid) ?? []) await grant.destroy();
    grants.delete(uid);
  }
  return { listener, revoke };
}
