import { Timestamp } from 'bson';
import { arithmetic } from '../bson/arithmetic.ts';
import type { Collation } from '../bson/collation.ts';
import { compareValues } from '../bson/compare.ts';
import { shell } from '../bson/shell.ts';
import { isNumeric, typeName } from '../bson/types.ts';
import { asInteger, clone, isDoc } from '../bson/value.ts';
import { badValue, typeMismatch } from '../errors.ts';
import { addToSet, pop, pull, pullAll, push } from './array-operators.ts';

export interface UpdateContext {
  readonly now: Date;
  readonly collation: Collation | undefined;
  /** For messages. */
  readonly id: unknown;
}

/** The field's new value from its present one (undefined: it is not there); REMOVE takes it away, KEEP leaves it. */
export type Change = (current: unknown, path: string, context: UpdateContext) => unknown;

export const REMOVE = Symbol('remove');
export const KEEP = Symbol('keep');

export interface Modifier {
  /** Checks the argument of one field and gives what it does there. */
  parse(argument: unknown, path: string): Change;
  /** Whether a missing path is made. */
  readonly creates: boolean;
}

/** https://www.mongodb.com/docs/manual/reference/mql/update/ ; $rename and $setOnInsert are update.ts's. */
export const MODIFIERS: Record<string, Modifier> = {
  $set: { creates: true, parse: (argument) => () => clone(argument) },
  $unset: { creates: false, parse: () => (current) => (current === undefined ? KEEP : REMOVE) },
  $inc: { creates: true, parse: (argument, path) => numeric('$inc', 'add', 'increment', argument, path) },
  $mul: { creates: true, parse: (argument, path) => numeric('$mul', 'multiply', 'multiply', argument, path) },
  $min: { creates: true, parse: (argument) => extreme(argument, -1) },
  $max: { creates: true, parse: (argument) => extreme(argument, 1) },
  $currentDate: { creates: true, parse: currentDate },
  $push: { creates: true, parse: push },
  $addToSet: { creates: true, parse: addToSet },
  $pop: { creates: false, parse: pop },
  $pull: { creates: false, parse: pull },
  $pullAll: { creates: false, parse: pullAll },
  $bit: { creates: true, parse: bit },
};

function numeric(
  name: string,
  operation: 'add' | 'multiply',
  verb: string,
  argument: unknown,
  path: string,
): Change {
  if (!isNumeric(argument)) {
    throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${shell(argument)}}`);
  }
  return (current, field, { id }) => {
    // a missing field counts as 0 of the argument's type
    if (current === undefined) {
      return operation === 'add' ? argument : arithmetic('multiply', 0, argument);
    }
    if (!isNumeric(current)) {
      throw typeMismatch(
        `Cannot apply ${name} to a value of non-numeric type. {_id: ${shell(id)}} has the field '${field.split('.').at(-1)}' of non-numeric type ${typeName(current)}`,
      );
    }
    const result = arithmetic(operation, current, argument);
    if (result === undefined) {
      throw badValue(
        `Failed to apply ${name} operations to current value (${String(current)}) for document {_id: ${shell(id)}}`,
      );
    }
    return result;
  };
}

function extreme(argument: unknown, sign: 1 | -1): Change {
  return (current, _path, { collation }) =>
    current === undefined || compareValues(argument, current, collation) * sign > 0 ? clone(argument) : KEEP;
}

function currentDate(argument: unknown, path: string): Change {
  const type = isDoc(argument) ? argument.$type : argument;
  if (typeof argument === 'boolean' || type === 'date') return (_current, _path, { now }) => now;
  if (isDoc(argument) && type === 'timestamp') {
    return (_current, _path, { now }) => new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 });
  }
  throw badValue(
    isDoc(argument)
      ? `The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}`
      : `${typeName(argument)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}): ${path}`,
  );
}

function bit(argument: unknown, path: string): Change {
  const entries = isDoc(argument) ? Object.entries(argument) : [];
  if (entries.length === 0) {
    throw badValue(
      `You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}}: ${path}`,
    );
  }
  return (current) => {
    let value = current ?? 0;
    if (typeof value !== 'number')
      throw badValue(`Cannot apply $bit to a value of non-integral type: ${typeName(value)}`);
    for (const [operation, operand] of entries) {
      const mask = asInteger(operand);
      if (mask === undefined) throw badValue(`The $bit modifier field must be an Integer(32/64 bit)`);
      if (operation === 'and') value = (value as number) & mask;
      else if (operation === 'or') value = (value as number) | mask;
      else if (operation === 'xor') value = (value as number) ^ mask;
      else throw badValue(`The $bit modifier only supports 'and', 'or', and 'xor', not '${operation}'`);
    }
    return value;
  };
}
