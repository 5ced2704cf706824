import type { Config } from '@gatehouse/shared/config';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import type { Database } from '../database.ts';
import type { Mailer } from '../mail.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Secrets } from '../secrets.ts';
import type { ResolveTxt } from './domains/resolve-txt.ts';
import type { LdapTuning } from './ldap/options.ts';
import type { OidcLimits } from './oidc/limits.ts';

/** What the operations of single sign-on and SCIM work with. */
export interface SsoOptions {
  config: Config<'user'>;
  db: Database;
  mailer: Mailer;
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
