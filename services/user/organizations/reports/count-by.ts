import type { AggregateOptions, Collection, Document, Filter } from 'mongodb';
import { DAY } from './calendar.ts';

/** An expression for the start of an event's UTC day, in Unix milliseconds. */
export const START_OF_DAY = { $subtract: [{ $toLong: '$at' }, { $mod: [{ $toLong: '$at' }, DAY] }] };

/**
 * Counts the documents that match a filter by the value of an expression.
 * @param stages follow the grouping.
 */
export const countBy = <Id, Item extends Document>(
  collection: Collection<Item>,
  filter: Filter<Item>,
  expression: unknown,
  stages: Document[] = [],
  options: AggregateOptions = {},
): Promise<{ _id: Id; count: number }[]> =>
  collection
    .aggregate<{ _id: Id; count: number }>(
      [{ $match: filter }, { $group: { _id: expression, count: { $sum: 1 } } }, ...stages],
      options,
    )
    .toArray();
