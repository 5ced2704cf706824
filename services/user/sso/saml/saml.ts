import type { FastifyInstance } from 'fastify';
import { refusedLogins } from '../login/refused-logins.ts';
import type { SsoOptions } from '../options.ts';
import { acs } from './acs.ts';
import { samlLogin } from './login.ts';
import { samlLogout } from './logout.ts';
import { spMetadata } from './sp-metadata.ts';

/** The operations of SAML 2.0. */
export async function saml(app: FastifyInstance, options: SsoOptions): Promise<void> {
  await app.register(spMetadata, options);
  await app.register(async (logins) => {
    await logins.register(refusedLogins, options);
    await logins.register(samlLogin, options);
    await logins.register(acs, options);
  });
  await app.register(async (logouts) => {
    await logouts.register(refusedLogins, { ...options, action: 'sso.logout' as const });
    await logouts.register(samlLogout, options);
  });
}
