import { operationsOf } from '@gatehouse/shared/operation/operation';
import { requireMembership } from '../access/membership.ts';
import type { Database } from '../database.ts';

export const operation = operationsOf<{
  db: Database;
  /** Returns Unix milliseconds. */
  now: () => number;
  /** Runs the jobs of archived places now. */
  wakeArchiveJobs: () => void;
}>((scope, { db }) => scope.register(requireMembership, { db }));
