import { arithmetic } from '../bson/arithmetic.ts';
import { compareValues } from '../bson/compare.ts';
import { toShell } from '../bson/to-shell.ts';
import { isNumeric, typeName } from '../bson/types.ts';
import { clone } from '../bson/value.ts';
import { badValue, typeMismatch } from '../errors.ts';
import { addToSet, pop, pull, pullAll, push } from './array-updates.ts';
import type { Apply, Change } from './update-context.ts';
import { locate } from './update-path.ts';

const KEEP = Symbol('keep');

/** Checks an operator's argument for one field. https://www.mongodb.com/docs/manual/reference/mql/update/ */
export const UPDATE_OPERATORS: Record<string, (argument: unknown, path: string) => Apply> = {
  $set: (argument) => creating(() => clone(argument)),
  $setOnInsert: (argument) => {
    const set = creating(() => clone(argument));
    return (context) => {
      if (context.inserting) set(context);
    };
  },
  $unset: () => (context) => {
    const place = locate(context.doc, context.path, false);
    if (place?.value !== undefined) place.remove();
  },
  $inc: (argument, path) => creating(numeric('$inc', 'add', 'increment', argument, path)),
  $mul: (argument, path) => creating(numeric('$mul', 'multiply', 'multiply', argument, path)),
  $min: (argument) => creating(extreme(argument, -1)),
  $max: (argument) => creating(extreme(argument, 1)),
  $rename: rename,
  $push: (argument) => creating(push(argument)),
  $addToSet: (argument) => creating(addToSet(argument)),
  $pop: (argument) => existing(pop(argument)),
  $pull: (argument) => existing(pull(argument)),
  $pullAll: (argument) => existing(pullAll(argument)),
};

/** Creates a missing field. */
function creating(change: Change): Apply {
  return (context) => {
    const place = locate(context.doc, context.path, true);
    const value = change(place?.value, context.path.join('.'), context);
    if (value !== KEEP) place?.set(value);
  };
}

/** Ignores a missing field. */
function existing(change: Change): Apply {
  return (context) => {
    const place = locate(context.doc, context.path, false);
    if (place?.value !== undefined) place.set(change(place.value, context.path.join('.'), context));
  };
}

function numeric(
  name: string,
  operation: 'add' | 'multiply',
  verb: string,
  argument: unknown,
  path: string,
): Change {
  if (!isNumeric(argument)) {
    throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${toShell(argument)}}`);
  }
  return (current, field, { doc }) => {
    // A missing field counts as 0 of the argument's type.
    if (current === undefined) return operation === 'add' ? argument : arithmetic('multiply', 0, argument);
    if (!isNumeric(current)) {
      throw typeMismatch(
        `Cannot apply ${name} to a value of non-numeric type. {_id: ${toShell(doc._id)}} has the field '${field.split('.').at(-1)}' of non-numeric type ${typeName(current)}`,
      );
    }
    const result = arithmetic(operation, current, argument);
    if (result !== undefined) return result;
    throw badValue(
      `Failed to apply ${name} operations to current value (${String(current)}) for document {_id: ${toShell(doc._id)}}`,
    );
  };
}

function extreme(argument: unknown, sign: 1 | -1): Change {
  return (current, _path, { collation }) =>
    current === undefined || compareValues(argument, current, collation) * sign > 0 ? clone(argument) : KEEP;
}

function rename(argument: unknown, from: string): Apply {
  if (typeof argument !== 'string') {
    throw badValue(`The 'to' field for $rename must be a string: ${from}: ${toShell(argument)}`);
  }
  if (from === argument) {
    throw badValue(`The source and target field for $rename must differ: ${from}: "${argument}"`);
  }
  const target = argument.split('.');
  return ({ doc, path }) => {
    for (const side of [path, target]) {
      for (let depth = 1; depth < side.length; depth++) {
        if (!Array.isArray(locate(doc, side.slice(0, depth), false)?.value)) continue;
        throw badValue(
          `The ${side === path ? 'source' : 'destination'} field cannot be an array element, '${side.join('.')}' in doc with _id: ${toShell(doc._id)} has an array field called '${side[depth - 1]}'`,
        );
      }
    }
    const source = locate(doc, path, false);
    if (source?.value === undefined) return;
    source.remove();
    locate(doc, target, true)?.set(source.value);
  };
}
