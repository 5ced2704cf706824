import type { FastifyInstance } from 'fastify';
import { refusedLogins } from '../login/refused-logins.ts';
import type { SsoOptions } from '../options.ts';
import { backchannelLogout } from './backchannel-logout.ts';
import { oidcCallback } from './callback.ts';
import { createProviders } from './discovery.ts';
import { oidcLogin } from './login.ts';
import { withLimits } from './options.ts';

/** The routes of OpenID Connect: logins, callbacks and logouts of providers. */
export async function openIdConnect(app: FastifyInstance, ssoOptions: SsoOptions): Promise<void> {
  const options = withLimits(ssoOptions);
  const routes = { options, providerOf: createProviders(options) };
  await app.register(async (logins) => {
    await logins.register(refusedLogins, options);
    await logins.register(oidcLogin, routes);
    await logins.register(oidcCallback, routes);
  });
  await app.register(backchannelLogout, routes);
}
