import type { Config } from '@gatehouse/shared/config';
import { forms } from '@gatehouse/shared/http/forms';
import type { PasswordPolicy } from '@gatehouse/shared/identity/password-policy';
import type { Passwords } from '@gatehouse/shared/identity/passwords';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Database } from '../database.ts';
import type { Mailer } from '../mail/mailer.ts';
import { auditAttempts } from './audit-attempts.ts';
import type { Locate } from './geolocation.ts';

interface AccountDependencies {
  config: Config<'user'>;
  db: Database;
  mailer: Mailer;
  passwords: Passwords;
  /** Refuses weak passwords. */
  passwordPolicy: PasswordPolicy;
  tokens: Tokens;
  locate: Locate;
  /** Returns Unix milliseconds. */
  now: () => number;
  /** Mails the notices that were just stored. Without it they are mailed within seconds. */
  wakeNotices: () => void;
}

/** Declares an operation of the Direct contract: it takes a form, and each attempt is audited. */
export const directOperation = operationsOf<AccountDependencies>(async (scope, dependencies) => {
  await scope.register(forms);
  await scope.register(auditAttempts, dependencies);
});

/** Declares an operation on the caller's own account. */
export const operation = operationsOf<AccountDependencies>();
