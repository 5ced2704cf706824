import type { Collation } from '../bson/collation.ts';
import type { Doc } from '../bson/value.ts';

interface UpdateContext {
  readonly doc: Doc;
  readonly path: readonly string[];
  readonly collation: Collation | undefined;
  /** Whether an upsert inserts the document. */
  readonly inserting: boolean;
}

/** Changes one field of `context.doc`. */
export type Apply = (context: UpdateContext) => void;

/** The field's new value from its present one, which is undefined if the field is missing. */
export type Change = (current: unknown, path: string, context: UpdateContext) => unknown;
