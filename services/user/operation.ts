import type { Config } from '@gatehouse/shared/config';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Accept } from '@gatehouse/webhooks/accept';
import type { Database } from './database.ts';

export interface UserDependencies {
  config: Config<'user'>;
  db: Database;
  /** Returns Unix milliseconds. */
  now: () => number;
  /** Stores an event and its deliveries. */
  accept: Accept;
}

export const operation = operationsOf<UserDependencies>();
