import { asInteger, type Doc, integer, isDoc } from '../bson/value.ts';
import type { Scope } from '../language/expression-context.ts';
import {
  type CompiledStage,
  compilePipeline,
  type ParsedStage,
  type PipelineContext,
  runStages,
} from '../language/stages.ts';
import type { Collection, Store } from '../store/store.ts';
import { countQuery, prepareQuery, type QueryRequest, runQuery } from './query.ts';

export interface AggregateRequest {
  readonly store: Store;
  readonly db: string;
  readonly scope: Scope;
  readonly hint?: string | undefined;
}

/** Runs a pipeline. Its leading $match, $sort, $skip and $limit become a query, which may use an index. */
export function aggregate(
  request: AggregateRequest,
  collection: Collection | undefined,
  pipeline: readonly unknown[],
): Iterable<Doc> {
  const { store, db, scope } = request;
  const context: PipelineContext = {
    scope,
    aggregate: (name, nested) => run({ store, db, scope }, store.find(db, name), nested),
  };
  return run(request, collection, compilePipeline(pipeline, context));
}

function run(
  request: AggregateRequest,
  collection: Collection | undefined,
  stages: readonly CompiledStage[],
): Iterable<Doc> {
  const { store } = request;
  if (!collection) return runStages([], stages);
  const { query: leading, used } = leadingQuery(stages, request);
  const query = prepareQuery(store, collection, leading);
  const counted = countStage(stages.slice(used));
  if (counted) {
    const count = countQuery(store, collection, query);
    return count === 0 ? [] : [counted(count)];
  }
  return runStages(documents(collection), stages.slice(used));

  function* documents(source: Collection): Generator<Doc> {
    for (const entry of runQuery(store, source, query)) yield entry.doc();
  }
}

/** The leading stages as a query, and how many there are. */
export function leadingQuery(
  stages: readonly ParsedStage[],
  { scope, hint }: Pick<AggregateRequest, 'scope' | 'hint'>,
): { query: QueryRequest; used: number } {
  let used = 0;
  const take = (name: string): unknown =>
    stages[used]?.name === name ? stages[used++]?.argument : undefined;
  const filters: unknown[] = [];
  for (let filter = take('$match'); filter !== undefined; filter = take('$match')) filters.push(filter);
  const sort = take('$sort');
  const skip = asInteger(take('$skip')) ?? 0;
  const limit = asInteger(take('$limit')) ?? 0;
  const filter = filters.length > 1 ? { $and: filters } : filters[0];
  return { query: { filter, sort, skip, limit, hint, scope }, used };
}

/** Recognizes $count, and the $group that countDocuments sends: an index may answer them without a document. */
export function countStage(stages: readonly ParsedStage[]): ((count: number) => Doc) | undefined {
  const [stage, ...more] = stages;
  if (!stage || more.length > 0) return undefined;
  const { name, argument } = stage;
  if (name === '$count') return (count) => ({ [argument as string]: integer(count) });
  if (name !== '$group' || !isDoc(argument)) return undefined;
  const { _id, ...fields } = argument;
  const [[field, accumulator] = [], ...others] = Object.entries(fields);
  const constant = _id === null || typeof _id === 'number';
  if (!constant || field === undefined || others.length > 0) return undefined;
  if (!isDoc(accumulator) || accumulator.$sum !== 1 || Object.keys(accumulator).length > 1) return undefined;
  return (count) => ({ _id, [field]: integer(count) });
}
