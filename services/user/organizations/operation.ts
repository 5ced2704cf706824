import type { Config } from '@gatehouse/shared/config';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Database } from '../database.ts';
import type { MailOptions } from './invitations/mail.ts';

export interface OrganizationDependencies extends MailOptions {
  config: Config<'user'>;
  db: Database;
  /** Runs exports that are due now. */
  wakeExports: () => void;
  /** Sends notices of failed payments that are due now. */
  wakePaymentNotices: () => void;
}

export const operation = operationsOf<OrganizationDependencies>();
