import { Long } from 'bson';
import { evalExpr } from 'mingo/core';
import * as arithmeticOperators from 'mingo/operators/expression/arithmetic';
import type { Any } from 'mingo/types';
import { double, expressionArithmetic } from '../bson/arithmetic.ts';
import { toNumber } from '../bson/decimal.ts';
import { isNumeric, typeName } from '../bson/types.ts';
import { bsonType } from '../bson/value.ts';
import { badValue, CommandError } from '../errors.ts';
import { list, type Operator, pair } from './operands.ts';

/** Arithmetic that keeps int, long, double and decimal apart, where mingo knows doubles only. */
export const arithmeticExpressions: Record<string, Operator> = {
  $add: (doc, expression, options) => add(list(evalExpr(doc, list(expression) as Any, options))),
  $subtract: (doc, expression, options) => subtract(pair('$subtract', evalExpr(doc, expression, options))),
  $multiply: (doc, expression, options) => {
    const terms = list(evalExpr(doc, list(expression) as Any, options));
    if (terms.some((term) => term === null || term === undefined)) return null;
    const wrong = terms.find((term) => !isNumeric(term));
    if (wrong !== undefined) {
      throw typeError(`$multiply only supports numeric types, not ${typeName(wrong)}`);
    }
    return terms.reduce((product, term) => expressionArithmetic('multiply', product, term), 1);
  },
  $divide: (doc, expression, options) => {
    const [a, b] = pair('$divide', evalExpr(doc, expression, options));
    if (a === null || a === undefined || b === null || b === undefined) return null;
    if (!isNumeric(a) || !isNumeric(b)) {
      throw typeError(`$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
    }
    if (toNumber(b) === 0) throw badValue("can't $divide by zero");
    return double(toNumber(a) / toNumber(b));
  },
  ...numeric([
    '$abs',
    '$ceil',
    '$floor',
    '$exp',
    '$ln',
    '$log',
    '$log10',
    '$mod',
    '$pow',
    '$round',
    '$sqrt',
    '$trunc',
  ]),
};

function add(terms: unknown[]): unknown {
  if (terms.some((term) => term === null || term === undefined)) return null;
  const dates = terms.filter((term) => term instanceof Date);
  if (dates.length > 1) throw new CommandError(16612, 'only one date allowed in an $add expression');
  const numbers = terms.filter((term) => !(term instanceof Date));
  const wrong = numbers.find((term) => !isNumeric(term));
  if (wrong !== undefined) {
    throw typeError(`$add only supports numeric or date types, not ${typeName(wrong)}`);
  }
  const sum = numbers.reduce((total, term) => expressionArithmetic('add', total, term), 0);
  const [date] = dates as Date[];
  return date ? new Date(date.getTime() + Math.round(toNumber(sum))) : sum;
}

function subtract([a, b]: [unknown, unknown]): unknown {
  if (a === null || a === undefined || b === null || b === undefined) return null;
  if (a instanceof Date && b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime());
  if (a instanceof Date && isNumeric(b)) return new Date(a.getTime() - Math.round(toNumber(b)));
  if (!isNumeric(a) || !isNumeric(b)) {
    throw typeError(`can't $subtract ${typeName(b)} from ${typeName(a)}`);
  }
  return expressionArithmetic('subtract', a, b);
}

/** mingo's own operator on plain numbers; the result of integers stays one where it can. */
function numeric(names: string[]): Record<string, Operator> {
  return Object.fromEntries(
    names.map((name): [string, Operator] => {
      const operator = (arithmeticOperators as unknown as Record<string, Operator>)[name] as Operator;
      return [
        name,
        (doc, expression, options) => {
          const value = evalExpr(doc, expression, options) as unknown;
          const terms = list(value);
          if (terms.some((term) => term === null || term === undefined)) return null;
          const wrong = terms.find((term) => !isNumeric(term));
          if (wrong !== undefined)
            throw typeError(`${name} only supports numeric types, not ${typeName(wrong)}`);
          const plain = Array.isArray(value) ? value.map(toNumber) : toNumber(value);
          const result = operator(doc, plain as Any, options);
          const long = terms.some((term) => bsonType(term) === 'Long');
          return long && typeof result === 'number' && Number.isSafeInteger(result)
            ? Long.fromNumber(result)
            : result;
        },
      ];
    }),
  );
}

function typeError(message: string): CommandError {
  return new CommandError(14, message);
}
