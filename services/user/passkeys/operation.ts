import type { Config } from '@gatehouse/shared/config';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Database } from '../database.ts';

interface PasskeyDependencies {
  config: Config<'user'>;
  db: Database;
  tokens: Tokens;
  /** Returns Unix milliseconds. */
  now: () => number;
  /** Mails the notices that were just stored. */
  wakeNotices: () => void;
}

/** Declares an operation on one's own passkeys (CONTRACT.md §Passkeys). */
export const operation = operationsOf<PasskeyDependencies>();
