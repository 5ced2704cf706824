import { send } from '../../fixtures/http.ts';
import { locationOf, newBrowser, type OidcService } from '../oidc/oidc-service.ts';

/** The calls of somebody with a token, directly at the services. */
export function callsWith({ url, login }: Pick<OidcService, 'url' | 'login'>) {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  return {
    refresh: (token: string) => send(`${login}/auth/refresh`, { method: 'POST', ...bearer(token) }),
    logout: (token: string) => send(`${login}/auth/logout`, { method: 'POST', ...bearer(token) }),
    status: async (token: string) => (await send(`${url}/api/v1/users/me`, bearer(token))).status,
  };
}

/** Exchanges the code at the end of a login in a browser. @returns the answer with the token. */
export async function exchanged(service: OidcService, connection: { slug: string }) {
  const browser = newBrowser(service);
  const code = new URL(locationOf(await service.logIn(connection, browser))).hash.replace('#code=', '');
  return browser.post('/api/v1/auth/sso/exchange', { code });
}
