import type { Config } from '@gatehouse/shared/config';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Database } from './database.ts';
import type { Accept } from './webhooks/intake/accept.ts';

export interface UserDependencies {
  config: Config<'user'>;
  db: Database;
  /** Returns Unix milliseconds. */
  now: () => number;
  /** Stores an event and its deliveries. */
  accept: Accept;
}

export const operation = operationsOf<UserDependencies>();
