import { compareValues } from '../bson/compare.ts';
import { isDoc } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { checkExpression, type Evaluate, type Scope } from './expression.ts';
import { parseGroup } from './group.ts';
import { sortDocs } from './sort.ts';
import type { Stage } from './stages.ts';

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/bucket/ : a $group by the lower boundary. */
export function bucket(argument: unknown, evaluate: Evaluate, scope: Scope): Stage {
  if (!isDoc(argument)) {
    throw new CommandError(40201, 'Argument to $bucket stage must be an object');
  }
  const { groupBy, boundaries, default: otherwise, output = { count: { $sum: 1 } }, ...rest } = argument;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new CommandError(40197, `Unrecognized option to $bucket: ${unknown}.`);
  if (groupBy === undefined || boundaries === undefined) {
    throw new CommandError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  }
  if (!Array.isArray(boundaries) || boundaries.length < 2) {
    throw new CommandError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  }
  if (boundaries.some((value, i) => i > 0 && compareValues(boundaries[i - 1], value) >= 0)) {
    throw new CommandError(40194, "The 'boundaries' option to $bucket must be sorted");
  }
  checkExpression(groupBy);
  if (!isDoc(output)) throw new CommandError(40196, "The $bucket 'output' field must be an object");
  const lower = (value: unknown): unknown => {
    const above = boundaries.findIndex((boundary) => compareValues(value, boundary, scope.collation) < 0);
    if (above > 0) return boundaries[above - 1];
    if ('default' in argument) return otherwise;
    throw new CommandError(
      7158303,
      '$bucket could not find a matching branch for an input, and no default was specified.',
    );
  };
  const byBoundary: Evaluate = (doc, expression) =>
    expression === groupBy ? lower(evaluate(doc, groupBy)) : evaluate(doc, expression);
  const group = parseGroup({ _id: groupBy, ...output }, byBoundary, scope);
  const ascending = [{ name: '_id', path: ['_id'], descending: false }];
  return (docs) => sortDocs([...group(docs)], ascending, (doc) => doc);
}
