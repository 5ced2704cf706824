import { addOperations } from '@gatehouse/shared/operation/add-operations';
import type { FastifyInstance } from 'fastify';
import { connections } from './connections/connections.ts';
import { checkSession } from './continue/check-session.ts';
import { domains } from './domains/domains.ts';
import { ldapLogin } from './ldap/login.ts';
import { discover } from './login/discover.ts';
import { exchange } from './login/exchange.ts';
import { oidcRoutes, openIdConnect } from './oidc/oidc.ts';
import type { SsoOptions } from './options.ts';
import { saml } from './saml/saml.ts';
import { startUpkeep } from './upkeep/start.ts';

/** The routes of single sign-on; register behind `requirePrincipal`. */
export async function singleSignOn(app: FastifyInstance, options: SsoOptions): Promise<void> {
  const operations: ((app: FastifyInstance, options: SsoOptions) => Promise<void>)[] = [
    connections,
    discover,
    domains,
    exchange,
    saml,
  ];
  startUpkeep(app, options);
  for (const operation of operations) await app.register(operation, options);
  await addOperations(app, [ldapLogin], options);
  const oidc = oidcRoutes(options);
  await app.register(openIdConnect, oidc);
  await app.register(checkSession, oidc);
}
