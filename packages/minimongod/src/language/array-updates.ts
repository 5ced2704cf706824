import type { Collation } from '../bson/collation.ts';
import { compareValues, equalValues } from '../bson/compare.ts';
import { toShell } from '../bson/to-shell.ts';
import { isRegex, typeName } from '../bson/types.ts';
import { asInteger, clone, isDoc } from '../bson/value.ts';
import { badValue, failedToParse, typeMismatch } from '../errors.ts';
import { isOperatorDoc, parseFilter } from './filter.ts';
import { compileFilter, type Predicate } from './match.ts';
import { compareBySort, parseSort, sortKeys } from './sort.ts';
import type { Change } from './update-context.ts';

const PUSH_MODIFIERS = ['$each', '$slice', '$sort', '$position'];

export function push(argument: unknown): Change {
  if (!isDoc(argument) || !('$each' in argument)) {
    return (current, path, { doc }) => [...arrayAt('$push', current, path, doc._id), clone(argument)];
  }
  const { $each: each, $slice, $sort, $position } = argument;
  const unknown = Object.keys(argument).find((modifier) => !PUSH_MODIFIERS.includes(modifier));
  if (unknown) throw badValue(`Unrecognized clause in $push: ${unknown}`);
  if (!Array.isArray(each)) {
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(each)}`);
  }
  const slice = integerModifier('$slice', $slice);
  const position = integerModifier('$position', $position);
  const compare = $sort === undefined ? undefined : elementOrder($sort);
  return (current, path, { doc, collation }) => {
    const before = arrayAt('$push', current, path, doc._id);
    const at = position ?? before.length;
    const array = [...before.slice(0, at), ...each.map(clone), ...before.slice(at)];
    if (compare) array.sort((a, b) => compare(a, b, collation));
    if (slice === undefined) return array;
    return slice >= 0 ? array.slice(0, slice) : array.slice(slice);
  };
}

function integerModifier(modifier: string, value: unknown): number | undefined {
  const number = asInteger(value);
  if (value === undefined || number !== undefined) return number;
  throw badValue(`The value for ${modifier} must be an integer value but was given type: ${typeName(value)}`);
}

function elementOrder(sort: unknown): (a: unknown, b: unknown, collation?: Collation) => number {
  if (isDoc(sort)) {
    const fields = parseSort(sort);
    if (fields.length === 0) throw badValue('The $sort pattern is empty when it should be a set of fields.');
    return (a, b, collation) =>
      compareBySort(fields, collation)(sortKeys(fields, a, collation), sortKeys(fields, b, collation));
  }
  const direction = asInteger(sort);
  if (direction !== 1 && direction !== -1) throw badValue('The $sort element value must be either 1 or -1');
  return (a, b, collation) => compareValues(a, b, collation) * direction;
}

export function addToSet(argument: unknown): Change {
  let values: unknown[] = [argument];
  if (isDoc(argument) && Object.keys(argument)[0] === '$each') {
    const { $each: each, ...rest } = argument;
    if (Object.keys(rest).length > 0) {
      throw badValue(`Found unexpected fields after $each in $addToSet: ${toShell(argument)}`);
    }
    if (!Array.isArray(each)) {
      throw typeMismatch(
        `The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`,
      );
    }
    values = each;
  }
  return (current, path, { doc, collation }) => {
    const array = [...arrayAt('$addToSet', current, path, doc._id)];
    for (const value of values) {
      if (!array.some((element) => equalValues(element, value, collation))) array.push(clone(value));
    }
    return array;
  };
}

export function pop(argument: unknown): Change {
  const direction = asInteger(argument);
  if (direction !== 1 && direction !== -1) {
    throw failedToParse(`$pop expects 1 or -1, found: ${toShell(argument)}`);
  }
  return (current, path) => {
    if (Array.isArray(current)) return direction === 1 ? current.slice(0, -1) : current.slice(1);
    throw typeMismatch(`Path '${path}' contains an element of non-array type '${typeName(current)}'`);
  };
}

export function pull(argument: unknown): Change {
  // Checks the condition now, and compiles it with the collation of the statement later.
  elementTest(argument);
  return (current, path, { doc, collation }) => {
    const test = elementTest(argument, collation);
    return arrayAt('$pull', current, path, doc._id).filter((element) => !test(element));
  };
}

/** A condition on each element: on its value, or on its fields if it is a document without operators. */
function elementTest(argument: unknown, collation?: Collation): Predicate {
  if (isOperatorDoc(argument) || isRegex(argument)) {
    const test = compileFilter(parseFilter({ element: argument }), { collation });
    return (element) => test({ element });
  }
  if (!isDoc(argument)) return (element) => equalValues(element, argument, collation);
  const test = compileFilter(parseFilter(argument), { collation });
  return (element) => isDoc(element) && test(element);
}

export function pullAll(argument: unknown): Change {
  if (!Array.isArray(argument)) {
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(argument)}`);
  }
  return (current, path, { doc, collation }) =>
    arrayAt('$pull', current, path, doc._id).filter(
      (element) => !argument.some((value) => equalValues(element, value, collation)),
    );
}

function arrayAt(name: string, current: unknown, path: string, id: unknown): unknown[] {
  if (current === undefined) return [];
  if (Array.isArray(current)) return current;
  throw badValue(
    name === '$push'
      ? `The field '${path}' must be an array but is of type ${typeName(current)} in document {_id: ${toShell(id)}}`
      : `Cannot apply ${name} to non-array field. Field named '${path.split('.').at(-1)}' has non-array type ${typeName(current)}`,
  );
}
