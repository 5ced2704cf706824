import { asInteger, type Doc, integer, isDoc } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { createEvaluate, type Evaluate } from '../language/expression.ts';
import { stageOf } from '../language/stage.ts';
import { chain, compileStage, type PipelineContext } from '../language/stages.ts';
import type { Collection } from '../store/store.ts';
import { countQuery, type FindRequest, prepareQuery, runQuery } from './query.ts';

/** Runs a pipeline over a collection; the leading $match, $sort, $skip and $limit become a query with its index. */
export function aggregate(
  context: PipelineContext,
  collection: Collection | undefined,
  pipeline: readonly unknown[],
  onCollection: boolean,
): Iterable<Doc> {
  const evaluate = createEvaluate(context.scope);
  const stages = pipeline.map(stageOf);
  const compiled = stages.map(([name, argument], i) => compileStage(name, argument, i, context, evaluate));
  if (!onCollection && !['$documents', '$currentOp'].includes(stages[0]?.[0] ?? '')) {
    throw new CommandError(
      73,
      `{aggregate: 1} is not valid for '${stages[0]?.[0] ?? 'an empty pipeline'}'; a collection is required.`,
    );
  }
  if (!collection) return chain([], compiled);
  const { request, used } = leadingQuery(stages, context, evaluate);
  const query = prepareQuery(context.store, collection, request);
  const rest = stages.slice(used);
  const counter = countOnly(rest);
  if (counter) {
    const count = countQuery(context.store, collection, query);
    return count === 0 ? [] : [counter(count)];
  }
  return chain(documents(), compiled.slice(used));

  function* documents(): Generator<Doc> {
    for (const entry of runQuery(context.store, collection as Collection, query)) yield entry.doc();
  }
}

export function leadingQuery(
  stages: readonly [string, unknown][],
  { scope, hint }: Pick<PipelineContext, 'scope' | 'hint'>,
  evaluate: Evaluate,
): { request: FindRequest; used: number } {
  let used = 0;
  const take = (name: string): unknown => (stages[used]?.[0] === name ? stages[used++]?.[1] : undefined);
  const filters: unknown[] = [];
  for (let filter = take('$match'); filter !== undefined; filter = take('$match')) filters.push(filter);
  const sort = take('$sort');
  const skip = asInteger(take('$skip')) ?? 0;
  const limit = asInteger(take('$limit')) ?? 0;
  const filter = filters.length === 0 ? {} : filters.length === 1 ? filters[0] : { $and: filters };
  return { request: { filter, sort, skip, limit, collation: scope.collation, hint, evaluate }, used };
}

/** Recognises what a driver's countDocuments sends, and $count: an index answers them without a document. */
export function countOnly(rest: readonly [string, unknown][]): ((count: number) => Doc) | undefined {
  const [stage] = rest;
  if (rest.length !== 1 || !stage) return undefined;
  const [name, argument] = stage;
  if (name === '$count') return (count) => ({ [argument as string]: integer(count) });
  if (name !== '$group' || !isDoc(argument)) return undefined;
  const [[idName, id] = [], [field, accumulator] = [], ...others] = Object.entries(argument);
  if (
    idName !== '_id' ||
    (id !== null && typeof id !== 'number') ||
    field === undefined ||
    others.length > 0
  ) {
    return undefined;
  }
  if (!isDoc(accumulator) || Object.keys(accumulator).join() !== '$sum' || accumulator.$sum !== 1)
    return undefined;
  return (count) => ({ _id: id, [field]: integer(count) });
}
