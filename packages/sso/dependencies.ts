import type { Config } from '@gatehouse/shared/config';
import type { Secrets } from '@gatehouse/shared/data/secrets';
import { PROVIDER_BODY } from '@gatehouse/shared/http/body-limits';
import { forms } from '@gatehouse/shared/http/forms';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Outbound } from '@gatehouse/shared/outbound/outbound';
import type { Database } from './database.ts';
import type { ResolveTxt } from './domains/resolve-txt.ts';
import type { SocialHost, SsoHost } from './host.ts';
import type { LdapTuning } from './ldap/options.ts';
import { refusedLogins } from './login/refused-logins.ts';
import type { OidcLimits } from './oidc/limits.ts';

/** The dependencies of single sign-on. */
export interface SsoOptions {
  config: Config<'user'>;
  db: Database;
  host: SsoHost;
  social: SocialHost;
  tokens: Tokens;
  secrets: Secrets;
  /** Reaches identity providers. */
  outbound: Outbound;
  /** Reads the DNS records that prove control of a domain. */
  resolveTxt: ResolveTxt;
  /** Limits of calls to directories. */
  ldap?: LdapTuning;
  /** Unix milliseconds. */
  now: () => number;
  oidc?: Partial<OidcLimits>;
}

export const operation = operationsOf<SsoOptions>();

/** Declares an operation of a login. Its refusals are logged and audited. */
export const loginOperation = operationsOf<SsoOptions>((scope, { db, now }) =>
  scope.register(refusedLogins, { db, now }),
);

/** Declares an operation of a login that takes the form of a provider. */
export const loginFormOperation = operationsOf<SsoOptions>(async (scope, { db, now }) => {
  await scope.register(refusedLogins, { db, now });
  await scope.register(forms, { maxBody: PROVIDER_BODY });
});

/** Declares an operation of a logout. Its refusals are logged and audited. */
export const logoutOperation = operationsOf<SsoOptions>((scope, { db, now }) =>
  scope.register(refusedLogins, { db, now, action: 'sso.logout' }),
);

/** Declares an operation of a logout that takes a form. */
export const logoutFormOperation = operationsOf<SsoOptions>(async (scope, { db, now }) => {
  await scope.register(refusedLogins, { db, now, action: 'sso.logout' });
  await scope.register(forms);
});
