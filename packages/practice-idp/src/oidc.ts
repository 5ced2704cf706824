import { createPrivateKey, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, { type Configuration } from 'oidc-provider';
import { loginPage, messagePage, sendPage } from './pages.ts';
import { checkPassword, findPerson } from './people.ts';
import { readForm } from './read-form.ts';
import type { SigningKey } from './signing-key.ts';

export const CLIENT_ID = 'gatehouse';
export const CLIENT_SECRET = 'practice-client-secret';

const LOGIN = /^\/login\/([\w-]+)$/;
const HOUR = 3_600;

/** An OpenID Connect provider (https://github.com/panva/node-oidc-provider) with the people of ./people.ts. */
export function createOidcProvider(issuer: string, gatehouse: string, key: SigningKey) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${gatehouse}/oauth/callback`],
        backchannel_logout_uri: `${gatehouse}/oauth/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: {
      keys: [{ ...createPrivateKey(key.privateKey).export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }],
    } as NonNullable<Configuration['jwks']>,
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'role', 'department'],
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
      Grant: HOUR,
      IdToken: HOUR,
      Interaction: HOUR,
      Session: HOUR,
    },
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    findAccount: (_context, uid) => {
      const person = findPerson(uid);
      return (
        person && {
          accountId: uid,
          claims: () => ({
            sub: uid,
            email: person.email,
            email_verified: true,
            given_name: person.firstName,
            family_name: person.lastName,
            role: person.role,
            department: person.department,
          }),
        }
      );
    },
    // Nobody is asked to consent.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        accountId: String(oidc.session?.accountId),
        clientId: String(oidc.client?.clientId),
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
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
    const person = checkPassword(username, password);
    if (!person) return sendPage(response, loginPage(action, {}, 'The password is wrong.'), 401);
    await provider.interactionFinished(request, response, { login: { accountId: person.uid } });
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    if (!LOGIN.test(request.url ?? '')) return void callback(request, response);
    logIn(request, response).catch((error: Error) => {
      if (!response.headersSent) sendPage(response, messagePage(`The login failed: ${error.message}.`), 400);
    });
  };
}
