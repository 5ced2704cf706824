import type { Config } from '@gatehouse/shared/config';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import { requireMembership } from '../access/membership.ts';
import { runAfterResponse } from '../after-response.ts';
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

/** Declares an operation. Below an organization's path, the caller's membership is checked. */
export const operation = operationsOf<OrganizationDependencies>(async (scope, { db }) => {
  await scope.register(requireMembership, { db });
  await scope.register(runAfterResponse);
});
