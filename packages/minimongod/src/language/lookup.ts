import { EMPTY_ARRAY, extractKeys, leafValue } from '../bson/path.ts';
import { type Doc, isDoc, setField } from '../bson/value.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { aggregate } from '../plan/aggregate.ts';
import { prepareQuery, runDocs } from '../plan/query.ts';
import type { Evaluate } from './expression.ts';
import type { PipelineContext, Stage } from './stages.ts';

const FIELDS = new Set(['from', 'localField', 'foreignField', 'as', 'let', 'pipeline']);

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/lookup/ ; the foreign field's index is used. */
export function lookup(argument: unknown, context: PipelineContext, evaluate: Evaluate): Stage {
  if (!isDoc(argument)) throw failedToParse('the $lookup specification must be an object');
  const unknown = Object.keys(argument).find((name) => !FIELDS.has(name));
  if (unknown) throw failedToParse(`unknown argument to $lookup: ${unknown}`);
  const { from, localField, foreignField, as: target, pipeline } = argument;
  const variables = isDoc(argument.let) ? argument.let : {};
  if (typeof target !== 'string') throw failedToParse("must specify 'as' field for a $lookup");
  if (typeof from !== 'string') throw failedToParse("missing 'from' option to $lookup stage specification");
  const joined = typeof localField === 'string' && typeof foreignField === 'string';
  if (!joined && (localField !== undefined || foreignField !== undefined || pipeline === undefined)) {
    throw failedToParse(
      "$lookup requires both or neither of 'localField' and 'foreignField' to be specified",
    );
  }
  if (pipeline !== undefined && !Array.isArray(pipeline)) {
    throw new CommandError(14, "'pipeline' option must be specified as an array");
  }
  const stages: readonly unknown[] | undefined = pipeline;
  return function* looked(docs) {
    for (const doc of docs) {
      const result: Doc = { ...doc };
      setPath(result, target.split('.'), [...matches(doc)]);
      yield result;
    }
  };

  function matches(doc: Doc): Iterable<Doc> {
    const { store, db, scope } = context;
    const collection = store.find(db, from as string);
    const filter = joined ? { [foreignField]: { $in: localValues(doc, localField) } } : {};
    if (stages === undefined) {
      if (!collection) return [];
      const query = prepareQuery(store, collection, { filter, collation: scope.collation, evaluate });
      return runDocs(store, collection, query);
    }
    const bound: Doc = { ...scope.variables };
    for (const [name, expression] of Object.entries(variables)) bound[name] = evaluate(doc, expression);
    const whole = joined ? [{ $match: filter }, ...stages] : stages;
    return aggregate(
      { ...context, hint: undefined, scope: { ...scope, variables: bound } },
      collection,
      whole,
      true,
    );
  }
}

/** A missing local field joins with null; an array joins by each of its elements. */
function localValues(doc: Doc, localField: string): unknown[] {
  const { keys } = extractKeys(doc, [localField.split('.')]);
  return keys.flatMap(([key]) => {
    const value = leafValue(key);
    return value === EMPTY_ARRAY ? [] : [value ?? null];
  });
}

function setPath(doc: Doc, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined) return;
  if (rest.length === 0) {
    setField(doc, name, value);
    return;
  }
  const child: Doc = isDoc(doc[name]) ? { ...doc[name] } : {};
  setPath(child, rest, value);
  setField(doc, name, child);
}
