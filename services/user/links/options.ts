import type { Config } from '@gatehouse/shared/config';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import type { Database } from '../database.ts';

/** The dependencies of links to providers. */
export interface LinkOptions {
  config: Config<'user'>;
  db: Database;
  tokens: Tokens;
  /** Returns Unix milliseconds. */
  now: () => number;
  /** Mails the notices that were just stored. */
  wakeNotices: () => void;
}
