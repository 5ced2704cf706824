import type { Config } from '@gatehouse/shared/config';
import type { Database } from '../database.ts';
import type { Mailer } from '../mail/mailer.ts';

/** The dependencies of provisioning, by a login or by SCIM. */
export interface ProvisioningOptions {
  config: Config<'user'>;
  db: Database;
  mailer: Mailer;
  /** Returns Unix milliseconds. */
  now: () => number;
}
