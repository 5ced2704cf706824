import type { SocialClient } from '@gatehouse/shared/config/social';
import { PROVIDER_BODY } from '@gatehouse/shared/http/body-limits';
import { forms } from '@gatehouse/shared/http/forms';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { SsoOptions } from '../dependencies.ts';
import { refusedLogins } from '../login/refused-logins.ts';
import type { OidcRoutes } from '../oidc/operation.ts';
import { SsoRefusal } from '../refusal.ts';

/** The dependencies of social login. */
export type SocialRoutes = OidcRoutes & Pick<SsoOptions, 'db' | 'now'>;

/** Declares an operation of a login. Its refusals are logged and audited. */
export const loginOperation = operationsOf<SocialRoutes>((scope, { db, now }) =>
  scope.register(refusedLogins, { db, now, action: 'login' }),
);

/** Declares an operation of a login that takes the form of a provider. */
export const loginFormOperation = operationsOf<SocialRoutes>(async (scope, { db, now }) => {
  await scope.register(refusedLogins, { db, now, action: 'login' });
  await scope.register(forms, { maxBody: PROVIDER_BODY });
});

/** Returns our client at a provider. @throws {SsoRefusal} unknown connection. */
export function socialClient({ config }: Pick<SsoOptions, 'config'>, name: string): SocialClient {
  const client = config.SOCIAL.find((each) => each.name === name);
  if (!client) throw new SsoRefusal('unknown connection', `SOCIAL_PROVIDERS does not name ${name}`);
  return client;
}

/** The redirect URI of a provider. Each provider has its own, which prevents mix-up attacks (RFC 9700 §4.4.2). */
export const callbackUrl = (
  { config }: Pick<SsoOptions, 'config'>,
  { name }: Pick<SocialClient, 'name'>,
): URL => new URL(`${config.PUBLIC_URL}/social/${name}/callback`);
