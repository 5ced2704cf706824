import type { Index } from '../store/index-keys.ts';

export type Plan =
  | Scan
  | {
      /** The branches of an $or, each in the order of the sort, by its index or by an in-memory sort. */
      readonly stage: 'SORT_MERGE';
      readonly branches: IndexScan[];
      readonly exact: false;
      readonly sorted: true;
    };

export type Scan =
  | {
      readonly stage: 'COLLSCAN';
      readonly backward: boolean;
      readonly exact: boolean;
      readonly sorted: boolean;
    }
  | IndexScan
  | { readonly stage: 'OR'; readonly branches: IndexScan[]; readonly exact: false; readonly sorted: boolean };

export interface KeyRange {
  /** Inclusive. */
  readonly start: Buffer;
  /** Exclusive. */
  readonly end: Buffer;
}

export interface IndexScan {
  readonly stage: 'IXSCAN';
  readonly index: Index;
  /** Disjoint, in ascending order. */
  readonly ranges: readonly KeyRange[];
  readonly backward: boolean;
  /** Whether the ranges hold exactly the documents that match, so that no document needs to be tested. */
  readonly exact: boolean;
  /** Whether the scan returns documents in the order of the sort. */
  readonly sorted: boolean;
  /** Whether it does so only by merging its ranges, each of which is in that order. */
  readonly merges: boolean;
  /** Whether it finds at most one document. */
  readonly unique: boolean;
  readonly score: number;
  /** What to read instead if a scan in the order of the sort finds too few matches. */
  readonly fallbacks?: readonly IndexScan[];
}

/** Counts the keys in a scan's ranges, up to a limit. */
export type CountKeys = (scan: IndexScan, limit: number) => number;
