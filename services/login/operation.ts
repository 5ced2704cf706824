import type { Config } from '@gatehouse/shared/config';
import { forms } from '@gatehouse/shared/http/forms';
import type { Passwords } from '@gatehouse/shared/identity/passwords';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Database } from './database.ts';
import type { LegacyLogin } from './legacy-login.ts';

export interface LoginDependencies {
  config: Config<'login'>;
  db: Database;
  passwords: Passwords;
  tokens: Tokens;
  /** Asks the system that people move from about an address without an account. */
  legacyLogin: LegacyLogin;
  /** Returns Unix milliseconds. */
  now: () => number;
}

export const operation = operationsOf<LoginDependencies>();

/** Declares an operation that takes a form. */
export const formOperation = operationsOf<LoginDependencies>(async (scope) => scope.register(forms));
