import { double, expressionArithmetic } from '../bson/arithmetic.ts';
import type { Collation } from '../bson/collation.ts';
import { compareValues } from '../bson/compare.ts';
import { toNumber } from '../bson/decimal.ts';
import { encodeKey } from '../bson/key.ts';
import { isNumeric } from '../bson/types.ts';
import { type Doc, isDoc, setField } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { accumulate, checkExpression, type Evaluate, type Scope } from './expression.ts';

interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

// https://www.mongodb.com/docs/manual/reference/mql/accumulators/ ; the rarer ones are mingo's
const ACCUMULATORS: Record<string, (collation?: Collation) => Accumulator> = {
  $sum: () => {
    let sum: unknown = 0;
    return {
      add(value) {
        if (isNumeric(value)) sum = expressionArithmetic('add', sum, value);
      },
      result: () => sum,
    };
  },
  $count: () => {
    let count = 0;
    return {
      add() {
        count++;
      },
      result: () => count,
    };
  },
  $avg: () => {
    let sum = 0;
    let count = 0;
    return {
      add(value) {
        if (!isNumeric(value)) return;
        sum += toNumber(value);
        count++;
      },
      result: () => (count === 0 ? null : double(sum / count)),
    };
  },
  $min: (collation) => extreme(-1, collation),
  $max: (collation) => extreme(1, collation),
  $first: () => {
    let first: { value: unknown } | undefined;
    return {
      add(value) {
        first ??= { value };
      },
      result: () => first?.value ?? null,
    };
  },
  $last: () => {
    let last: unknown;
    return {
      add(value) {
        last = value;
      },
      result: () => last ?? null,
    };
  },
  $push: () => {
    const values: unknown[] = [];
    return {
      add(value) {
        if (value !== undefined) values.push(value);
      },
      result: () => values,
    };
  },
  $addToSet: (collation) => {
    const values = new Map<string, unknown>();
    return {
      add(value) {
        if (value === undefined) return;
        const key = encodeKey([value], [], collation).toString('latin1');
        if (!values.has(key)) values.set(key, value);
      },
      result: () => [...values.values()],
    };
  },
};

function extreme(sign: 1 | -1, collation?: Collation): Accumulator {
  let best: unknown;
  return {
    add(value) {
      if (value === undefined || value === null) return;
      if (best === undefined || compareValues(value, best, collation) * sign > 0) best = value;
    },
    result: () => best ?? null,
  };
}

interface Group {
  id: unknown;
  accumulators: Accumulator[];
  docs: Doc[];
}

export function parseGroup(spec: unknown, evaluate: Evaluate, scope: Scope) {
  if (!isDoc(spec)) throw new CommandError(15947, "a group's fields must be specified in an object");
  if (!('_id' in spec)) throw new CommandError(15955, 'a group specification must include an _id');
  checkExpression(spec._id);
  const fields = Object.entries(spec)
    .filter(([name]) => name !== '_id')
    .map(([name, value]) => {
      if (!isDoc(value)) throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
      const [operator, expression] = Object.entries(value)[0] ?? [''];
      if (!operator.startsWith('$')) {
        throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
      }
      if (Object.keys(value).length !== 1) {
        throw new CommandError(40238, `The field '${name}' must specify one accumulator`);
      }
      const create = ACCUMULATORS[operator];
      if (create) checkExpression(expression);
      // an accumulator that does not exist is refused before anything is read
      else accumulate([], operator, expression, scope);
      return { name, operator, expression, create };
    });
  const keepsDocs = fields.some(({ create }) => !create);

  return function* group(docs: Iterable<Doc>): Generator<Doc> {
    const groups = new Map<string, Group>();
    for (const doc of docs) {
      const id = evaluate(doc, spec._id) ?? null;
      const key = encodeKey([id], [], scope.collation).toString('latin1');
      let entry = groups.get(key);
      if (!entry) {
        const accumulators = fields.flatMap(({ create }) => (create ? [create(scope.collation)] : []));
        entry = { id, accumulators, docs: [] };
        groups.set(key, entry);
      }
      if (keepsDocs) entry.docs.push(doc);
      let i = 0;
      for (const { create, expression } of fields) {
        if (create) entry.accumulators[i++]?.add(evaluate(doc, expression));
      }
    }
    for (const { id, accumulators, docs: members } of groups.values()) {
      const result: Doc = { _id: id };
      let i = 0;
      for (const { name, operator, expression, create } of fields) {
        const value = create ? accumulators[i++]?.result() : accumulate(members, operator, expression, scope);
        setField(result, name, value);
      }
      yield result;
    }
  };
}
