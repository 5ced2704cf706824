import { connections } from './connections/connections.ts';
import { domains } from './domains/domains.ts';
import { ldapFactorLogin } from './ldap/factor-login.ts';
import { ldapLogin } from './ldap/login.ts';
import { discover } from './login/discover.ts';
import { exchange } from './login/exchange.ts';
import { assertionConsumers } from './saml/acs.ts';
import { samlLogin } from './saml/login.ts';
import { samlLogouts } from './saml/logout.ts';
import { spMetadata } from './saml/sp-metadata.ts';

/** The operations of single sign-on, except for those of OpenID Connect. */
export const singleSignOn = [
  ...connections,
  discover,
  ...domains,
  exchange,
  ldapLogin,
  ldapFactorLogin,
  spMetadata,
  samlLogin,
  ...assertionConsumers,
  ...samlLogouts,
];
