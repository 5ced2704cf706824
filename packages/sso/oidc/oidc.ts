import { checkSession } from '../continue/check-session.ts';
import type { SsoOptions } from '../dependencies.ts';
import { backchannelLogouts } from './backchannel-logout.ts';
import { oidcCallbacks } from './callback.ts';
import { createProviders } from './discovery.ts';
import { oidcLogin } from './login.ts';
import type { OidcRoutes } from './operation.ts';
import { withLimits } from './options.ts';

export function oidcRoutes(ssoOptions: SsoOptions): OidcRoutes & Pick<SsoOptions, 'db' | 'now'> {
  const options = withLimits(ssoOptions);
  const { db, now } = options;
  return { options, providerOf: createProviders(options), db, now };
}

/** The operations of OpenID Connect. */
export const openIdConnect = [oidcLogin, ...oidcCallbacks, ...backchannelLogouts, checkSession];
