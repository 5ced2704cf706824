import { forms } from '@gatehouse/shared/http/forms';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { SsoOptions } from '../dependencies.ts';
import { refusedLogins } from '../login/refused-logins.ts';
import type { createProviders } from './discovery.ts';
import type { OidcOptions } from './options.ts';

/** The options that the operations of OpenID Connect share. */
export interface OidcRoutes {
  options: OidcOptions;
  providerOf: ReturnType<typeof createProviders>;
}

type OidcDependencies = OidcRoutes & Pick<SsoOptions, 'db' | 'now'>;

export const operation = operationsOf<OidcDependencies>();

/** Declares an operation of a login. Its refusals are logged and audited. */
export const loginOperation = operationsOf<OidcDependencies>((scope, { db, now }) =>
  scope.register(refusedLogins, { db, now }),
);

/** Declares an operation of a logout that takes a form. Its refusals are logged and audited. */
export const logoutOperation = operationsOf<OidcDependencies>(async (scope, { db, now }) => {
  await scope.register(forms);
  await scope.register(refusedLogins, { db, now, action: 'sso.logout' });
});
