import { EMPTY_ARRAY, extractValues, valueAt, withField } from '../bson/paths.ts';
import { toShell } from '../bson/to-shell.ts';
import { isNullish, typeName } from '../bson/types.ts';
import { asInteger, type Doc, integer, isDoc } from '../bson/value.ts';
import { CommandError, failedToParse, typeMismatch } from '../errors.ts';
import { compileExpression } from './expression.ts';
import type { Scope } from './expression-context.ts';
import { parseFilter } from './filter.ts';
import { parseGroup } from './group.ts';
import { compileFilter } from './match.ts';
import { addFields, parseProjection, removeFields } from './projection.ts';
import { parseSort, sortDocs } from './sort.ts';

export interface PipelineContext {
  readonly scope: Scope;
  /** Runs a pipeline over another collection of the database. */
  aggregate(collection: string, pipeline: readonly CompiledStage[]): Iterable<Doc>;
}

export type Stage = (docs: Iterable<Doc>) => Iterable<Doc>;
export interface ParsedStage {
  readonly name: string;
  readonly argument: unknown;
}
export interface CompiledStage extends ParsedStage {
  readonly run: Stage;
}
type Compile = (argument: unknown, context: PipelineContext, name: string) => Stage;

/** The stages that an update may use as well. */
export const UPDATE_STAGES: Record<string, (argument: unknown, scope: Scope) => (doc: Doc) => Doc> = {
  $addFields: addFields,
  $set: addFields,
  $unset: removeFields,
  $project: (argument, scope) => {
    if (!isDoc(argument)) throw new CommandError(15969, '$project specification must be an object');
    if (Object.keys(argument).length > 0) return parseProjection(argument, scope);
    throw new CommandError(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    );
  },
  $replaceRoot: (argument, scope) => {
    if (isDoc(argument) && 'newRoot' in argument) return replaceRoot(argument.newRoot, scope);
    throw new CommandError(40231, 'no newRoot specified for the $replaceRoot stage');
  },
  $replaceWith: replaceRoot,
};

/** https://www.mongodb.com/docs/manual/reference/mql/aggregation-stages/ */
export const STAGES: Record<string, Compile> = {
  ...Object.fromEntries(
    Object.entries(UPDATE_STAGES).map(([stage, compile]): [string, Compile] => [
      stage,
      (argument, { scope }) => {
        const change = compile(argument, scope);
        return function* (docs) {
          for (const doc of docs) yield change(doc);
        };
      },
    ]),
  ),
  $match: (argument, { scope }) => {
    const test = compileFilter(parseFilter(argument), { collation: scope.collation, scope });
    return function* (docs) {
      for (const doc of docs) if (test(doc)) yield doc;
    };
  },
  $sort: (argument, { scope }) => {
    const sort = parseSort(argument);
    if (sort.length === 0) throw new CommandError(15976, '$sort stage must have at least one sort key');
    return (docs) => sortDocs(docs, sort, (doc) => doc, scope.collation);
  },
  $skip: (argument, _context, name) => {
    const skip = countArgument(argument, name, 5107200);
    return function* (docs) {
      let position = 0;
      for (const doc of docs) if (position++ >= skip) yield doc;
    };
  },
  $limit: (argument, _context, name) => {
    const limit = countArgument(argument, name, 5107201);
    if (limit === 0) throw new CommandError(15958, 'the limit must be positive');
    return function* (docs) {
      let count = 0;
      for (const doc of docs) {
        yield doc;
        if (++count === limit) return;
      }
    };
  },
  $count: (argument) => {
    if (typeof argument !== 'string' || argument === '' || /[$.\0]/.test(argument)) {
      throw new CommandError(40156, 'the count field must be a non-empty string without $ and .');
    }
    return function* (docs) {
      let count = 0;
      for (const _ of docs) count++;
      if (count > 0) yield { [argument]: integer(count) };
    };
  },
  $group: (argument, { scope }) => parseGroup(argument, scope),
  $sortByCount: (argument, { scope }) => {
    const group = parseGroup({ _id: argument, count: { $sum: 1 } }, scope);
    return (docs) => sortDocs(group(docs), parseSort({ count: -1 }), (doc) => doc);
  },
  $unwind: unwind,
  $lookup: lookup,
  $unionWith: (argument, context) => {
    const { coll, pipeline = [], ...rest } = isDoc(argument) ? argument : { coll: argument };
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) throw failedToParse(`unknown argument to $unionWith: ${unknown}`);
    if (typeof coll !== 'string') throw failedToParse("the $unionWith stage requires a 'coll'");
    const nested = nestedPipeline(pipeline, context);
    return function* (docs) {
      yield* docs;
      yield* context.aggregate(coll, nested);
    };
  },
};

export function parseStage(stage: unknown): ParsedStage {
  if (!isDoc(stage)) throw typeMismatch("Each element of the 'pipeline' array must be an object");
  const [entry, ...more] = Object.entries(stage);
  if (entry && more.length === 0) return { name: entry[0], argument: entry[1] };
  throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
}

export const compilePipeline = (pipeline: readonly unknown[], context: PipelineContext): CompiledStage[] =>
  pipeline.map(parseStage).map((stage) => ({ ...stage, run: compileStage(stage, context) }));

function compileStage({ name, argument }: ParsedStage, context: PipelineContext): Stage {
  const compile = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
  if (name === '$changeStream') {
    throw new CommandError(40573, 'The $changeStream stage is only supported on replica sets');
  }
  if (!compile) throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
  return compile(argument, context, name);
}

export function runStages(docs: Iterable<Doc>, stages: readonly CompiledStage[]): Iterable<Doc> {
  return stages.reduce((input, { run }) => run(input), docs);
}

/** Compiles a nested pipeline in advance, so that an invalid one is refused even if no document reaches the stage. */
function nestedPipeline(pipeline: unknown, context: PipelineContext): CompiledStage[] {
  if (!Array.isArray(pipeline)) throw typeMismatch("'pipeline' option must be specified as an array");
  return compilePipeline(pipeline, context);
}

function countArgument(argument: unknown, name: string, code: number): number {
  const count = asInteger(argument);
  if (count !== undefined && count >= 0 && count < 2 ** 63) return count;
  throw new CommandError(code, `invalid argument to ${name} stage: Expected a non-negative number`);
}

function replaceRoot(expression: unknown, scope: Scope): (doc: Doc) => Doc {
  const evaluate = compileExpression(expression, scope);
  return (doc) => {
    const root = evaluate(doc);
    if (isDoc(root)) return root;
    throw new CommandError(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was: ${toShell(root)}. Type of resulting value: '${typeName(root)}'. Input document: ${toShell(doc)}`,
    );
  };
}

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/unwind/ */
function unwind(argument: unknown): Stage {
  const {
    path,
    includeArrayIndex,
    preserveNullAndEmptyArrays = false,
    ...rest
  }: Doc = isDoc(argument) ? argument : { path: argument };
  if (typeof path !== 'string') {
    throw new CommandError(28808, 'expected a string as the path for $unwind stage');
  }
  if (!path.startsWith('$')) {
    throw new CommandError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  }
  const [unknown] = Object.keys(rest);
  if (unknown) throw new CommandError(28811, `unrecognized option to $unwind stage: ${unknown}`);
  const names = path.slice(1).split('.');
  const indexed = (doc: unknown, index: unknown) =>
    (typeof includeArrayIndex === 'string'
      ? withField(doc, includeArrayIndex.split('.'), index)
      : doc) as Doc;
  return function* (docs) {
    for (const doc of docs) {
      const value = valueAt(doc, names);
      if (Array.isArray(value) && value.length > 0) {
        for (const [i, element] of value.entries()) yield indexed(withField(doc, names, element), integer(i));
      } else if (!isNullish(value) && !Array.isArray(value)) yield indexed(doc, null);
      else if (preserveNullAndEmptyArrays === true) {
        yield indexed(Array.isArray(value) ? withField(doc, names, undefined) : doc, null);
      }
    }
  };
}

/**
 * An equality join, for which the foreign field's index is used, a pipeline over the other collection, or both.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/lookup/
 */
function lookup(argument: unknown, context: PipelineContext): Stage {
  if (!isDoc(argument)) throw failedToParse('the $lookup specification must be an object');
  const { from, localField, foreignField, pipeline, as, ...rest } = argument;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw failedToParse(`unknown argument to $lookup: ${unknown}`);
  if (typeof from !== 'string') throw failedToParse("missing 'from' option to $lookup stage specification");
  if (typeof as !== 'string') throw failedToParse("must specify 'as' field for a $lookup");
  const isJoin = typeof localField === 'string' && typeof foreignField === 'string';
  if (!isJoin && !(pipeline && localField === undefined && foreignField === undefined)) {
    throw failedToParse(
      "$lookup requires both or neither of 'localField' and 'foreignField' to be specified",
    );
  }
  const nested = pipeline === undefined ? [] : nestedPipeline(pipeline, context);
  const join = isJoin ? joinFilter(localField, foreignField) : undefined;
  return function* (docs) {
    for (const doc of docs) {
      const joined = join ? compilePipeline([{ $match: join(doc) }], context) : [];
      yield withField(doc, as.split('.'), [...context.aggregate(from, [...joined, ...nested])]) as Doc;
    }
  };
}

function joinFilter(localField: string, foreignField: string): (doc: Doc) => Doc {
  const localPath = localField.split('.');
  return (doc) => {
    // An array joins by each of its elements, a missing field joins like null.
    const values = extractValues(doc, localPath).filter((value) => value !== EMPTY_ARRAY);
    return { [foreignField]: { $in: values.map((value) => value ?? null) } };
  };
}
