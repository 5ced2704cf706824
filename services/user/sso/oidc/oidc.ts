import type { FastifyInstance } from 'fastify';
import { refusedLogins } from '../login/refused-logins.ts';
import type { SsoOptions } from '../options.ts';
import { backchannelLogout } from './backchannel-logout.ts';
import { oidcCallback } from './callback.ts';
import { createProviders } from './discovery.ts';
import { oidcLogin } from './login.ts';
import { withLimits } from './options.ts';
import type { OidcRoutes } from './routes.ts';

export function oidcRoutes(ssoOptions: SsoOptions): OidcRoutes {
  const options = withLimits(ssoOptions);
  return { options, providerOf: createProviders(options) };
}

/** The routes of OpenID Connect: logins, callbacks and logouts of providers. */
export async function openIdConnect(app: FastifyInstance, routes: OidcRoutes): Promise<void> {
  const { options } = routes;
  await app.register(async (logins) => {
    await logins.register(refusedLogins, options);
    await logins.register(oidcLogin, routes);
    await logins.register(oidcCallback, routes);
  });
  await app.register(backchannelLogout, routes);
}
