import { asInteger, type Doc, integer, isDoc } from '../bson/value.ts';
import type { Scope } from '../language/expression-context.ts';
import { compileStage, parseStage, runStages } from '../language/stages.ts';
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
  const stages = pipeline.map(parseStage);
  const context = {
    scope,
    aggregate: (name: string, nested: readonly unknown[]) =>
      aggregate({ store, db, scope }, store.find(db, name), nested),
  };
  const compiled = stages.map((stage) => compileStage(stage, context));
  if (!collection) return runStages([], compiled);
  const { query: leading, used } = leadingQuery(stages, request);
  const query = prepareQuery(store, collection, leading);
  const counted = countStage(stages.slice(used));
  if (counted) {
    const count = countQuery(store, collection, query);
    return count === 0 ? [] : [counted(count)];
  }
  return runStages(documents(collection), compiled.slice(used));

  function* documents(source: Collection): Generator<Doc> {
    for (const entry of runQuery(store, source, query)) yield entry.doc();
  }
}

/** The leading stages as a query, and how many there are. */
export function leadingQuery(
  stages: readonly [string, unknown][],
  { scope, hint }: Pick<AggregateRequest, 'scope' | 'hint'>,
): { query: QueryRequest; used: number } {
  let used = 0;
  const take = (name: string): unknown => (stages[used]?.[0] === name ? stages[used++]?.[1] : undefined);
  const filters: unknown[] = [];
  for (let filter = take('$match'); filter !== undefined; filter = take('$match')) filters.push(filter);
  const sort = take('$sort');
  const skip = asInteger(take('$skip')) ?? 0;
  const limit = asInteger(take('$limit')) ?? 0;
  const filter = filters.length > 1 ? { $and: filters } : filters[0];
  return { query: { filter, sort, skip, limit, hint, scope }, used };
}

/** Recognizes $count, and the $group that countDocuments sends: an index may answer them without a document. */
export function countStage(stages: readonly [string, unknown][]): ((count: number) => Doc) | undefined {
  const [stage, ...more] = stages;
  if (!stage || more.length > 0) return undefined;
  const [name, argument] = stage;
  if (name === '$count') return (count) => ({ [argument as string]: integer(count) });
  if (name !== '$group' || !isDoc(argument)) return undefined;
  const { _id, ...fields } = argument;
  const [[field, accumulator] = [], ...others] = Object.entries(fields);
  const constant = _id === null || typeof _id === 'number';
  if (!constant || field === undefined || others.length > 0) return undefined;
  if (!isDoc(accumulator) || accumulator.$sum !== 1 || Object.keys(accumulator).length > 1) return undefined;
  return (count) => ({ _id, [field]: integer(count) });
}
