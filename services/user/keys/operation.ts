import type { Config } from '@gatehouse/shared/config';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import { requireMembership } from '../access/membership.ts';
import type { Database } from '../database.ts';

interface KeyDependencies {
  config: Pick<Config<'user'>, 'NODE_ENV'>;
  db: Database;
  /** Returns Unix milliseconds. */
  now: () => number;
  /** Mails the notices that were just stored. */
  wakeNotices: () => void;
}

/** Declares an operation on keys (CONTRACT.md §Keys). Below an organization's path, the caller's membership is checked. */
export const operation = operationsOf<KeyDependencies>(async (scope, { db }) =>
  scope.register(requireMembership, { db }),
);
