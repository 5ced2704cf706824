import { Aggregator } from 'mingo/aggregator';
import { Context } from 'mingo/core';
import * as mingoStages from 'mingo/operators/pipeline';
import * as windowOperators from 'mingo/operators/window';
import { toNumber } from '../bson/decimal.ts';
import { asInteger, bsonType, type Doc, decode, integer, isDoc } from '../bson/value.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { aggregate } from '../plan/aggregate.ts';
import type { Store } from '../store/store.ts';
import { parseAddFields } from './add-fields.ts';
import { bucket } from './bucket.ts';
import { checkExpression, type Evaluate, expressionContext, type Scope, settle } from './expression.ts';
import { parseFilter } from './filter.ts';
import { parseGroup } from './group.ts';
import { lookup } from './lookup.ts';
import { compileFilter } from './match.ts';
import { parseProjection, removeFields } from './projection.ts';
import { parseSort, sortDocs } from './sort.ts';
import { replaceRoot, stageOf, unsetNames } from './stage.ts';
import { unwind } from './unwind.ts';

export interface PipelineContext {
  readonly store: Store;
  readonly db: string;
  readonly scope: Scope;
  readonly hint?: string | undefined;
}

export type Stage = (docs: Iterable<Doc>) => Iterable<Doc>;

/** What mingo runs as it is; the rest is below, because it reads collections or compares BSON values. */
const MINGO_STAGES = new Set([
  '$bucketAuto',
  '$densify',
  '$fill',
  '$graphLookup',
  '$redact',
  '$sample',
  '$setWindowFields',
]);

const WRITING = new Set(['$out', '$merge']);
const FIRST_ONLY = new Set([
  '$documents',
  '$changeStream',
  '$collStats',
  '$indexStats',
  '$currentOp',
  '$geoNear',
]);

function compilePipeline(pipeline: unknown, context: PipelineContext, evaluate: Evaluate): Stage {
  if (!Array.isArray(pipeline)) throw failedToParse("'pipeline' must be an array");
  const stages = pipeline
    .map(stageOf)
    .map(([name, argument], i) => compileStage(name, argument, i, context, evaluate));
  return (docs) => chain(docs, stages);
}

export function compileStage(
  name: string,
  argument: unknown,
  position: number,
  context: PipelineContext,
  evaluate: Evaluate,
): Stage {
  const { scope } = context;
  const { collation } = scope;
  if (FIRST_ONLY.has(name) && position > 0) {
    throw new CommandError(40602, `${name} is only valid as the first stage in a pipeline`);
  }
  switch (name) {
    case '$match': {
      const test = compileFilter(parseFilter(argument), { collation, evaluate });
      return (docs) => filterDocs(docs, test);
    }
    case '$sort': {
      const sort = parseSort(argument);
      if (sort.length === 0) throw new CommandError(15976, '$sort stage must have at least one sort key');
      return (docs) => sortDocs([...docs], sort, (doc) => doc, collation);
    }
    case '$skip': {
      const count = asInteger(argument);
      if (count === undefined || count < 0)
        throw new CommandError(5107200, 'invalid argument to $skip stage: Expected a non-negative number');
      return (docs) => between(docs, count, Number.POSITIVE_INFINITY);
    }
    case '$limit': {
      const count = asInteger(argument);
      if (count === undefined || count < 0)
        throw new CommandError(5107201, 'invalid argument to $limit stage: Expected a non-negative number');
      if (count === 0) throw new CommandError(15958, 'the limit must be positive');
      return (docs) => between(docs, 0, count);
    }
    case '$project':
      if (!isDoc(argument)) throw new CommandError(15969, '$project specification must be an object');
      if (Object.keys(argument).length === 0) {
        throw new CommandError(
          51272,
          'Invalid $project :: caused by :: projection specification must have at least one field',
        );
      }
      return mapped(parseProjection(argument, { evaluate, collation, stage: true }));
    case '$addFields':
    case '$set':
      return mapped(parseAddFields(argument, evaluate));
    case '$unset':
      return mapped(removeFields(unsetNames(argument)));
    case '$replaceRoot':
    case '$replaceWith':
      return mapped(replaceRoot(name, argument, evaluate));
    case '$group':
      return parseGroup(argument, evaluate, scope);
    case '$sortByCount': {
      checkExpression(argument);
      const group = parseGroup({ _id: argument, count: { $sum: 1 } }, evaluate, scope);
      return (docs) => sortDocs([...group(docs)], parseSort({ count: -1 }), (doc) => doc);
    }
    case '$bucket':
      return bucket(argument, evaluate, scope);
    case '$count':
      if (typeof argument !== 'string' || argument === '' || /[$.\0]/.test(argument)) {
        throw new CommandError(40156, 'the count field must be a non-empty string without $ and .');
      }
      return function* counted(docs) {
        let count = 0;
        for (const _ of docs) count++;
        if (count > 0) yield { [argument]: integer(count) };
      };
    case '$unwind':
      return unwind(argument);
    case '$lookup':
      return lookup(argument, context, evaluate);
    case '$facet': {
      if (!isDoc(argument))
        throw new CommandError(40169, 'the $facet specification must be a non-empty object');
      const facets = Object.entries(argument).map(
        ([field, pipeline]) => [field, compilePipeline(pipeline, context, evaluate)] as const,
      );
      return (docs) => {
        const input = [...docs];
        return [Object.fromEntries(facets.map(([field, run]) => [field, [...run(input)]]))];
      };
    }
    case '$unionWith': {
      const spec = typeof argument === 'string' ? { coll: argument } : (argument as Doc);
      return function* united(docs) {
        yield* docs;
        const other = context.store.find(context.db, String(spec.coll));
        const pipeline = Array.isArray(spec.pipeline) ? spec.pipeline : [];
        yield* aggregate({ ...context, hint: undefined }, other, pipeline, true);
      };
    }
    case '$documents':
      checkExpression(argument);
      return () => evaluate({}, argument) as Doc[];
    case '$changeStream':
      throw new CommandError(40573, 'The $changeStream stage is only supported on replica sets');
  }
  if (WRITING.has(name) || FIRST_ONLY.has(name)) {
    throw new CommandError(115, `The ${name} stage is not supported here`);
  }
  if (!MINGO_STAGES.has(name)) throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
  return mingoStage(name, argument, context);
}

function mingoStage(name: string, argument: unknown, { store, db, scope }: PipelineContext): Stage {
  const stages = Context.from(expressionContext)
    .addPipelineOps({ ...mingoStages } as never)
    .addWindowOps({ ...windowOperators } as never);
  return function* run(docs) {
    const aggregator = new Aggregator([{ [name]: argument }] as never, {
      context: stages,
      variables: { ...scope.variables },
      scriptEnabled: false,
      collectionResolver: (from) => {
        const collection = store.find(db, from);
        if (!collection) return [];
        const rows = store.statement(`SELECT bson FROM doc_${collection.id}`).all();
        return rows.map((row) => decode(row.bson as Uint8Array)) as never;
      },
    });
    for (const doc of aggregator.run([...docs].map(lowered))) yield settle(doc) as Doc;
  };
}

/** mingo knows no numbers but JavaScript's; what these stages are given loses its 64-bit type on the way. */
function lowered(value: unknown): never {
  const type = bsonType(value);
  if (type === 'Long' || type === 'Double') return toNumber(value) as never;
  if (Array.isArray(value)) return value.map(lowered) as never;
  if (!isDoc(value)) return value as never;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, lowered(field)])) as never;
}

function mapped(change: (doc: Doc) => Doc): Stage {
  return function* map(docs) {
    for (const doc of docs) yield change(doc);
  };
}

function* filterDocs(docs: Iterable<Doc>, test: (doc: Doc) => boolean): Generator<Doc> {
  for (const doc of docs) if (test(doc)) yield doc;
}

function* between(docs: Iterable<Doc>, skip: number, limit: number): Generator<Doc> {
  let position = 0;
  for (const doc of docs) {
    if (position++ < skip) continue;
    yield doc;
    if (position - skip >= limit) return;
  }
}

export function chain(docs: Iterable<Doc>, stages: readonly Stage[]): Iterable<Doc> {
  return stages.reduce((input, stage) => stage(input), docs);
}
