import type { Config } from '@gatehouse/shared/config';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database.ts';

export interface FactorDependencies {
  config: Config<'user'>;
  db: Database;
  /** Returns Unix milliseconds. */
  now: () => number;
  log: FastifyBaseLogger;
  /** Mails the notices that were just stored. */
  wakeNotices: () => void;
}

/** Declares an operation on second factors (CONTRACT.md §Second factor). */
export const operation = operationsOf<FactorDependencies>();
