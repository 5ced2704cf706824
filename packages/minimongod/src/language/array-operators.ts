import type { Collation } from '../bson/collation.ts';
import { compareValues, equalValues } from '../bson/compare.ts';
import { shell } from '../bson/shell.ts';
import { typeName } from '../bson/types.ts';
import { asInteger, clone, isDoc } from '../bson/value.ts';
import { badValue, failedToParse, typeMismatch } from '../errors.ts';
import { isOperatorDoc, isRegex, parseFilter } from './filter.ts';
import { compileFilter, type Predicate } from './match.ts';
import { compareBySort, parseSort, sortKeys } from './sort.ts';
import { type Change, KEEP } from './update-operators.ts';

function arrayFor(name: string, current: unknown, path: string, id: unknown): unknown[] {
  if (current === undefined) return [];
  if (Array.isArray(current)) return current;
  if (name === '$push') {
    throw badValue(
      `The field '${path}' must be an array but is of type ${typeName(current)} in document {_id: ${shell(id)}}`,
    );
  }
  throw badValue(
    `Cannot apply ${name} to non-array field. Field named '${path.split('.').at(-1)}' has non-array type ${typeName(current)}`,
  );
}

const PUSH_CLAUSES = ['$each', '$slice', '$sort', '$position'];

export function push(argument: unknown, _path: string): Change {
  if (!isDoc(argument) || !('$each' in argument)) {
    return (current, path, { id }) => [...arrayFor('$push', current, path, id), clone(argument)];
  }
  const { $each: each, $slice, $sort, $position } = argument;
  const unknown = Object.keys(argument).find((clause) => !PUSH_CLAUSES.includes(clause));
  if (unknown) throw badValue(`Unrecognized clause in $push: ${unknown}`);
  if (!Array.isArray(each)) {
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(each)}`);
  }
  const slice = clauseInteger('$slice', $slice);
  const position = clauseInteger('$position', $position);
  const order = $sort === undefined ? undefined : elementOrder($sort);
  return (current, path, context) => {
    const array = [...arrayFor('$push', current, path, context.id)];
    array.splice(position === undefined ? array.length : position, 0, ...each.map(clone));
    if (order) array.sort(order(context.collation));
    if (slice === undefined) return array;
    return slice === 0 ? [] : slice > 0 ? array.slice(0, slice) : array.slice(slice);
  };
}

function clauseInteger(clause: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = asInteger(value);
  if (number === undefined) {
    throw badValue(`The value for ${clause} must be an integer value but was given type: ${typeName(value)}`);
  }
  return number;
}

function elementOrder(sort: unknown): (collation?: Collation) => (a: unknown, b: unknown) => number {
  if (isDoc(sort)) {
    const fields = parseSort(sort);
    if (fields.length === 0) {
      throw badValue('The $sort pattern is empty when it should be a set of fields.');
    }
    return (collation) => {
      const compare = compareBySort(fields, collation);
      return (a, b) => compare(sortKeys(fields, a, collation), sortKeys(fields, b, collation));
    };
  }
  const direction = asInteger(sort);
  if (direction !== 1 && direction !== -1) {
    throw badValue('The $sort element value must be either 1 or -1');
  }
  return (collation) => (a, b) => compareValues(a, b, collation) * direction;
}

export function addToSet(argument: unknown): Change {
  let values: unknown[] = [argument];
  if (isDoc(argument) && Object.keys(argument)[0] === '$each') {
    const unknown = Object.keys(argument)[1];
    if (unknown) throw badValue(`Found unexpected fields after $each in $addToSet: ${shell(argument)}`);
    if (!Array.isArray(argument.$each)) {
      throw typeMismatch(
        `The argument to $each in $addToSet must be an array but it was of type ${typeName(argument.$each)}`,
      );
    }
    values = argument.$each;
  }
  return (current, path, { id, collation }) => {
    const array = [...arrayFor('$addToSet', current, path, id)];
    for (const value of values) {
      if (!array.some((element) => equalValues(element, value, collation))) array.push(clone(value));
    }
    return array;
  };
}

export function pop(argument: unknown, path: string): Change {
  const direction = asInteger(argument);
  if (direction !== 1 && direction !== -1) {
    throw failedToParse(`$pop expects 1 or -1, found: ${shell(argument)}`);
  }
  return (current) => {
    if (current === undefined) return KEEP;
    if (!Array.isArray(current)) {
      throw typeMismatch(`Path '${path}' contains an element of non-array type '${typeName(current)}'`);
    }
    return direction === 1 ? current.slice(0, -1) : current.slice(1);
  };
}

export function pull(argument: unknown): Change {
  return (current, path, { id, collation }) => {
    if (current === undefined) return KEEP;
    const array = arrayFor('$pull', current, path, id);
    const test = elementTest(argument, collation);
    return array.filter((element) => !test(element));
  };
}

/** A condition on each element: on its value, or on its fields where it is a document without operators. */
function elementTest(argument: unknown, collation: Collation | undefined): Predicate {
  if (isDoc(argument) && !isOperatorDoc(argument)) {
    const test = compileFilter(parseFilter(argument), { collation });
    return (element) => isDoc(element) && test(element);
  }
  if (!isOperatorDoc(argument) && !isRegex(argument)) {
    return (element) => equalValues(element, argument, collation);
  }
  const test = compileFilter(parseFilter({ element: argument }), { collation });
  return (element) => test({ element });
}

export function pullAll(argument: unknown): Change {
  if (!Array.isArray(argument)) {
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(argument)}`);
  }
  return (current, path, { id, collation }) => {
    if (current === undefined) return KEEP;
    const array = arrayFor('$pull', current, path, id);
    return array.filter((element) => !argument.some((value) => equalValues(element, value, collation)));
  };
}
