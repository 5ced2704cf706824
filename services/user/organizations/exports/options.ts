import type { Database } from '../../database.ts';

/** What the operations on exports are given. */
export interface ExportOptions {
  db: Database;
  now: () => number;
  /** Starts what is due in this process. */
  wake: () => void;
}
