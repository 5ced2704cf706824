import { checkCalculable, double, expressionArithmetic } from '../bson/arithmetic.ts';
import type { Collation } from '../bson/collation.ts';
import { compareValues } from '../bson/compare.ts';
import { mapKey } from '../bson/key.ts';
import { isNullish, isNumeric } from '../bson/types.ts';
import { type Doc, integer, isDoc, setField, toNumber } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { compileExpression } from './expression.ts';
import type { Scope } from './expression-context.ts';

interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

/** https://www.mongodb.com/docs/manual/reference/mql/accumulators/ */
export const ACCUMULATORS: Record<string, (collation?: Collation) => Accumulator> = {
  $sum: () => folding(0, (sum, value) => (isNumeric(value) ? expressionArithmetic('add', sum, value) : sum)),
  $count: () => {
    let count = 0;
    return { add: () => void count++, result: () => integer(count) };
  },
  $avg: () => {
    let sum = 0;
    let count = 0;
    return {
      add(value) {
        if (!isNumeric(value)) return;
        checkCalculable([value]);
        sum += toNumber(value);
        count++;
      },
      result: () => (count === 0 ? null : double(sum / count)),
    };
  },
  $min: (collation) => extreme(-1, collation),
  $max: (collation) => extreme(1, collation),
  $first: () => folding(undefined, (first, value) => (first === undefined ? (value ?? null) : first)),
  $last: () => folding(undefined, (_, value) => value),
  $push: () => {
    const values: unknown[] = [];
    return { add: (value) => void (value === undefined || values.push(value)), result: () => values };
  },
  $addToSet: (collation) => {
    const values = new Map<string, unknown>();
    return {
      add(value) {
        if (value === undefined) return;
        const key = mapKey(value, collation);
        if (!values.has(key)) values.set(key, value);
      },
      result: () => [...values.values()],
    };
  },
};

function folding(initial: unknown, fold: (current: unknown, value: unknown) => unknown): Accumulator {
  let current = initial;
  return {
    add(value) {
      current = fold(current, value);
    },
    result: () => current ?? null,
  };
}

function extreme(sign: 1 | -1, collation?: Collation): Accumulator {
  return folding(undefined, (best, value) => {
    if (isNullish(value)) return best;
    return best === undefined || compareValues(value, best, collation) * sign > 0 ? value : best;
  });
}

export function parseGroup(spec: unknown, scope: Scope): (docs: Iterable<Doc>) => Iterable<Doc> {
  if (!isDoc(spec)) throw new CommandError(15947, "a group's fields must be specified in an object");
  if (!('_id' in spec)) throw new CommandError(15955, 'a group specification must include an _id');
  const { _id, ...rest } = spec;
  const { collation } = scope;
  const groupKey = compileExpression(_id, scope);
  const fields = Object.entries(rest).map(([name, value]) => {
    const [operator, expression] = isDoc(value) ? (Object.entries(value)[0] ?? ['']) : [''];
    if (!operator.startsWith('$')) {
      throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
    }
    if (Object.keys(value as Doc).length !== 1) {
      throw new CommandError(40238, `The field '${name}' must specify one accumulator`);
    }
    const create = Object.hasOwn(ACCUMULATORS, operator) ? ACCUMULATORS[operator] : undefined;
    if (!create) throw new CommandError(15952, `unknown group operator '${operator}'`);
    return { name, create, evaluate: compileExpression(expression, scope) };
  });

  return function* group(docs) {
    const groups = new Map<string, { id: unknown; accumulators: Accumulator[] }>();
    for (const doc of docs) {
      const id = groupKey(doc) ?? null;
      const key = mapKey(id, collation);
      let entry = groups.get(key);
      if (!entry) {
        entry = { id, accumulators: fields.map(({ create }) => create(collation)) };
        groups.set(key, entry);
      }
      for (let i = 0; i < fields.length; i++) entry.accumulators[i]?.add(fields[i]?.evaluate(doc));
    }
    for (const { id, accumulators } of groups.values()) {
      const result: Doc = { _id: id };
      fields.forEach(({ name }, i) => {
        setField(result, name, accumulators[i]?.result());
      });
      yield result;
    }
  };
}
