import { Long } from 'bson';
import { evalExpr } from 'mingo/core';
import type { Any, AnyObject, Options } from 'mingo/types';
import { double } from '../bson/arithmetic.ts';
import { compareValues } from '../bson/compare.ts';
import { toNumber } from '../bson/decimal.ts';
import { isNumeric, typeName } from '../bson/types.ts';
import { bsonType, isDoc } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { arithmeticExpressions } from './arithmetic-expressions.ts';
import { truthy } from './filter.ts';
import { first, list, type Operator, pair } from './operands.ts';
import { compileRegex } from './regex.ts';

/**
 * The expression operators in which mingo's answer is not MongoDB's: it compares by JavaScript's types, where
 * BSON's order counts, and knows no numbers but doubles.
 */
export const correctedExpressions: Record<string, Operator> = {
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $cmp: comparison((order) => Math.sign(order)),
  $and: (doc, expression, options) =>
    list(expression).every((term) => truthy(evalExpr(doc, term as Any, options))),
  $or: (doc, expression, options) =>
    list(expression).some((term) => truthy(evalExpr(doc, term as Any, options))),
  $not: (doc, expression, options) => !truthy(first(evalExpr(doc, list(expression) as Any, options))),
  $cond: conditional,
  $switch: branches,
  $type: (doc, expression, options) => typeName(evalExpr(doc, first(expression) as Any, options)),
  $isNumber: (doc, expression, options) => isNumeric(evalExpr(doc, first(expression) as Any, options)),
  $literal: (_doc, expression) => expression,
  $const: (_doc, expression) => expression,
  $ifNull: (doc, expression, options) => {
    const terms = list(expression);
    if (terms.length < 2) throw new CommandError(1257300, '$ifNull needs at least two arguments');
    let value: unknown;
    for (const term of terms) {
      value = evalExpr(doc, term as Any, options);
      if (value !== null && value !== undefined) return value;
    }
    return value;
  },
  $in: (doc, expression, options) => {
    const [needle, haystack] = pair('$in', evalExpr(doc, expression, options));
    if (!Array.isArray(haystack)) {
      throw new CommandError(
        40081,
        `$in requires an array as a second argument, found: ${typeName(haystack)}`,
      );
    }
    return haystack.some((element) => compareValues(element, needle) === 0);
  },
  $size: (doc, expression, options) => {
    const value = evalExpr(doc, first(expression) as Any, options);
    if (!Array.isArray(value)) {
      throw new CommandError(
        17124,
        `The argument to $size must be an array, but was of type: ${typeName(value)}`,
      );
    }
    return value.length;
  },
  $concatArrays: (doc, expression, options) => {
    const arrays = list(expression).map((term) => evalExpr(doc, term as Any, options) as unknown);
    if (arrays.some((value) => value === null || value === undefined)) return null;
    const wrong = arrays.find((value) => !Array.isArray(value));
    if (wrong !== undefined) {
      throw new CommandError(28664, `$concatArrays only supports arrays, not ${typeName(wrong)}`);
    }
    return arrays.flat(1);
  },
  $filter: filter,
  $max: extreme(1),
  $min: extreme(-1),
  $toLower: (doc, expression, options) =>
    text(evalExpr(doc, first(expression) as Any, options), '$toLower').toLowerCase(),
  $toUpper: (doc, expression, options) =>
    text(evalExpr(doc, first(expression) as Any, options), '$toUpper').toUpperCase(),
  $toString: (doc, expression, options) => {
    const value = evalExpr(doc, first(expression) as Any, options);
    return value === null || value === undefined ? null : text(value, '$toString');
  },
  $toLong: (doc, expression, options) => {
    const value = evalExpr(doc, first(expression) as Any, options) as unknown;
    if (value === null || value === undefined) return null;
    if (bsonType(value) === 'Long') return value;
    if (value instanceof Date) return Long.fromNumber(value.getTime());
    if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) return Long.fromString(value);
    if (typeof value === 'boolean') return Long.fromNumber(Number(value));
    if (isNumeric(value)) return Long.fromNumber(Math.trunc(toNumber(value)));
    throw new CommandError(
      241,
      `Failed to parse number '${String(value)}' in $convert with no onError value`,
    );
  },
  $toDouble: (doc, expression, options) => {
    const value = evalExpr(doc, first(expression) as Any, options) as unknown;
    if (value === null || value === undefined) return null;
    if (isNumeric(value)) return double(toNumber(value));
    if (typeof value === 'boolean') return double(Number(value));
    if (value instanceof Date) return double(value.getTime());
    const number = Number(value);
    if (typeof value !== 'string' || value.trim() === '' || Number.isNaN(number)) {
      throw new CommandError(
        241,
        `Failed to parse number '${String(value)}' in $convert with no onError value`,
      );
    }
    return double(number);
  },
  $regexMatch: (doc, expression, options) => {
    const { input, regex, options: flags } = evalExpr(doc, expression, options) as Record<string, unknown>;
    if (input === null || input === undefined || regex === null || regex === undefined) return false;
    if (typeof input !== 'string') {
      throw new CommandError(51104, "$regexMatch needs 'input' to be of type string");
    }
    return compileRegex(regex, typeof flags === 'string' ? flags : '').test(input);
  },
  ...arithmeticExpressions,
};

function comparison(decide: (order: number) => unknown): Operator {
  return (doc, expression, options) => {
    const [a, b] = pair('comparison', evalExpr(doc, expression, options));
    return decide(compareValues(a, b));
  };
}

function conditional(doc: AnyObject, expression: Any, options: Options): unknown {
  const parts = isDoc(expression)
    ? [expression.if, expression.then, expression.else]
    : (expression as unknown[]);
  if (isDoc(expression)) {
    for (const name of ['if', 'then', 'else']) {
      if (!(name in expression)) throw new CommandError(17080, `Missing '${name}' parameter to $cond`);
    }
  } else if (!Array.isArray(parts) || parts.length !== 3) {
    throw new CommandError(16020, 'Expression $cond takes exactly 3 arguments.');
  }
  const [condition, then, otherwise] = parts;
  return evalExpr(doc, (truthy(evalExpr(doc, condition as Any, options)) ? then : otherwise) as Any, options);
}

function branches(doc: AnyObject, expression: Any, options: Options): unknown {
  const { branches: cases, ...rest } = expression as { branches?: unknown[]; default?: unknown };
  if (!Array.isArray(cases) || cases.length === 0) {
    throw new CommandError(40068, '$switch requires at least one branch.');
  }
  for (const branch of cases as { case: Any; then: Any }[]) {
    if (truthy(evalExpr(doc, branch.case, options))) return evalExpr(doc, branch.then, options);
  }
  if (!('default' in rest)) {
    throw new CommandError(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  }
  return evalExpr(doc, rest.default as Any, options);
}

function filter(doc: AnyObject, expression: Any, options: Options): unknown {
  const { input, as: name = 'this', cond, limit } = expression as Record<string, Any>;
  const elements = evalExpr(doc, input as Any, options) as unknown;
  if (elements === null || elements === undefined) return null;
  if (!Array.isArray(elements)) {
    throw new CommandError(28651, `input to $filter must be an array not ${typeName(elements)}`);
  }
  const maximum = limit === undefined ? Number.POSITIVE_INFINITY : toNumber(evalExpr(doc, limit, options));
  const kept: unknown[] = [];
  for (const element of elements) {
    if (kept.length >= maximum) break;
    if (truthy(withVariable(doc, name as string, element, cond as Any, options))) kept.push(element);
  }
  return kept;
}

function withVariable(
  doc: AnyObject,
  name: string,
  value: unknown,
  expression: Any,
  options: Options,
): unknown {
  return evalExpr(doc, { $let: { vars: { [name]: { $literal: value } }, in: expression } } as Any, options);
}

function extreme(sign: 1 | -1): Operator {
  return (doc, expression, options) => {
    // as an accumulator over $group's documents it is given the list itself
    const value = Array.isArray(doc)
      ? doc.map((entry) => evalExpr(entry as AnyObject, expression, options) as unknown)
      : (evalExpr(doc, expression, options) as unknown);
    const candidates = (Array.isArray(first(value)) ? (first(value) as unknown[]) : list(value)).filter(
      (entry) => entry !== null && entry !== undefined,
    );
    if (candidates.length === 0) return null;
    return candidates.reduce((best, entry) => (compareValues(entry, best) * sign > 0 ? entry : best));
  };
}

function text(value: unknown, operator: string): string {
  if (value === null || value === undefined) return '';
  switch (typeName(value)) {
    case 'string':
      return value as string;
    case 'date':
      return (value as Date).toISOString();
    case 'bool':
    case 'int':
    case 'long':
    case 'double':
    case 'decimal':
    case 'objectId':
      return String(value);
    default:
      throw new CommandError(
        operator === '$toString' ? 241 : 16007,
        operator === '$toString'
          ? `Unsupported conversion from ${typeName(value)} to string in $convert with no onError value`
          : `can't convert from BSON type ${typeName(value)} to String`,
      );
  }
}
