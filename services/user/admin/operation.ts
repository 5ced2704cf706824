import type { Config } from '@gatehouse/shared/config';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { FastifyBaseLogger } from 'fastify';
import type { Locate } from '../account/geolocation.ts';
import type { Database } from '../database.ts';
import { requireOperator } from '../operators/require-operator.ts';

export interface AdminDependencies {
  config: Config<'user'>;
  db: Database;
  tokens: Tokens;
  /** Returns Unix milliseconds. */
  now: () => number;
  log: FastifyBaseLogger;
  locate: Locate;
  /** Mails the notices that were just stored. */
  wakeNotices: () => void;
  /** Carries out an approved act, unless another process does. */
  carryOutNow: (approval_id: string) => Promise<void>;
}

/** Declares an operation for operators (CONTRACT.md §Admin API). */
export const operation = operationsOf<AdminDependencies>(async (scope, dependencies) => {
  await scope.register(requireOperator, dependencies);
});
