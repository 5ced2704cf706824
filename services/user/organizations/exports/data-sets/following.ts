import type { Document, Filter } from 'mongodb';
import type { Cursor } from '../records.ts';

/** Matches the records behind a cursor in the ascending order of two fields, with bounds for an index on them. */
export const following = (
  [first, second]: readonly [string, string],
  after: Cursor | null,
): Filter<Document> =>
  after === null
    ? {}
    : {
        [first]: { $gte: after[first] },
        $or: [{ [first]: { $gt: after[first] } }, { [second]: { $gt: after[second] } }],
      };
