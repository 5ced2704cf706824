import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { callbackUrl } from '../oidc/callback-url.ts';
import { asOidc } from '../oidc/options.ts';
import { acsUrlOf, entityIdOf, logoutUrlOf } from '../saml/service-provider.ts';

/** The addresses that an administrator registers at the provider. */
export interface Addresses {
  /** Where people begin to log in. */
  login_url: string;
  scim_base_url: string;
  acs_url?: string;
  entity_id?: string;
  metadata_url?: string;
  single_logout_url?: string;
  redirect_uri?: string;
  backchannel_logout_uri?: string;
}

export function addressesOf({ config }: Pick<SsoOptions, 'config'>, connection: Connection): Addresses {
  const { protocol, slug } = connection;
  const { PUBLIC_URL: base } = config;
  const scim_base_url = `${base}/scim/v2`;
  if (protocol === 'saml') {
    return {
      login_url: `${base}/saml/login/${slug}`,
      scim_base_url,
      acs_url: acsUrlOf(config),
      entity_id: entityIdOf(config, slug),
      metadata_url: entityIdOf(config, slug),
      single_logout_url: logoutUrlOf(config, slug),
    };
  }
  if (protocol === 'oidc') {
    return {
      login_url: `${base}/oauth/login/${slug}`,
      scim_base_url,
      redirect_uri: callbackUrl({ config }, asOidc(connection)).href,
      backchannel_logout_uri: `${base}/oauth/backchannel-logout/${slug}`,
    };
  }
  return { login_url: `${base}/api/v1/auth/ldap`, scim_base_url };
}
