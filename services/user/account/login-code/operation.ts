import type { Config } from '@gatehouse/shared/config';
import { forms } from '@gatehouse/shared/http/forms';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import { runAfterResponse } from '../../after-response.ts';
import type { Database } from '../../database.ts';
import type { Mailer } from '../../mail/mailer.ts';

export interface LoginCodeDependencies {
  config: Config<'user'>;
  db: Database;
  mailer: Mailer;
  tokens: Tokens;
  /** Returns Unix milliseconds. */
  now: () => number;
}

export const operation = operationsOf<LoginCodeDependencies>(async (scope) => {
  await scope.register(runAfterResponse);
});

/** Declares an operation that takes a form. */
export const formOperation = operationsOf<LoginCodeDependencies>(async (scope) => {
  await scope.register(forms);
  await scope.register(runAfterResponse);
});
