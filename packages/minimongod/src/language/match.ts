import { Context } from 'mingo/core';
import * as bitwise from 'mingo/operators/query/bitwise';
import { Query } from 'mingo/query';
import type { Collation } from '../bson/collation.ts';
import { compareValues } from '../bson/compare.ts';
import { toNumber } from '../bson/decimal.ts';
import { encodeKey } from '../bson/key.ts';
import { someValue } from '../bson/path.ts';
import { TAG, tagOf } from '../bson/tag.ts';
import { isNumeric, typeName } from '../bson/types.ts';
import { bsonType, isDoc } from '../bson/value.ts';
import type { Evaluate } from './expression.ts';
import type { Filter } from './filter.ts';
import { isRegex, truthy } from './filter.ts';
import { compileRegex, regexValue } from './regex.ts';

export type Predicate = (value: unknown) => boolean;

export interface MatchOptions {
  collation?: Collation | undefined;
  /** Evaluates $expr; a filter in a place that allows none passes nothing. */
  evaluate?: Evaluate | undefined;
}

/**
 * Compiles a parsed filter. mingo's own query operators are not used for comparisons: they know neither type
 * bracketing nor Long, Decimal128 and field order, which decide whether two BSON values are equal.
 */
export function compileFilter(filter: Filter, options: MatchOptions = {}): Predicate {
  switch (filter.kind) {
    case 'and': {
      const children = filter.children.map((child) => compileFilter(child, options));
      return (value) => children.every((child) => child(value));
    }
    case 'or': {
      const children = filter.children.map((child) => compileFilter(child, options));
      return (value) => children.some((child) => child(value));
    }
    case 'nor': {
      const children = filter.children.map((child) => compileFilter(child, options));
      return (value) => !children.some((child) => child(value));
    }
    case 'not': {
      const child = compileFilter(filter.child, options);
      return (value) => !child(value);
    }
    case 'expr': {
      const { evaluate } = options;
      if (!evaluate) throw new Error('$expr is not allowed in this context');
      return (value) => truthy(evaluate(value, filter.expression));
    }
    case 'elemMatch': {
      const child = compileFilter(filter.child, options);
      return atPath(filter.path, false, (value) => Array.isArray(value) && value.some(child));
    }
    case 'field': {
      const { operator, path, operand } = filter;
      const expandLeaf = operator !== '$exists' && operator !== '$size';
      if (operator === '$exists' && operand === false) {
        const exists = atPath(path, false, (value) => value !== undefined);
        return (value) => !exists(value);
      }
      return atPath(path, expandLeaf, fieldTest(operator, operand, options.collation));
    }
  }
}

function atPath(path: readonly string[] | null, expandLeaf: boolean, test: Predicate): Predicate {
  if (path === null) return test;
  const [name] = path;
  if (path.length === 1 && name !== undefined && name !== '__proto__') {
    return (root) => {
      if (!isDoc(root)) return someValue(root, path, expandLeaf, test);
      const value = Object.hasOwn(root, name) ? root[name] : undefined;
      return test(value) || (expandLeaf && Array.isArray(value) && value.some(test));
    };
  }
  return (root) => someValue(root, path, expandLeaf, test);
}

function fieldTest(operator: string, operand: unknown, collation?: Collation): Predicate {
  switch (operator) {
    case '$eq':
      return equalTo(operand, collation);
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return ordered(operator, operand, collation);
    case '$in':
      return memberOf(operand as unknown[], collation);
    case '$exists':
      return (value) => value !== undefined;
    case '$type': {
      const aliases = new Set(operand as string[]);
      return (value) => aliases.has(typeName(value));
    }
    case '$regex': {
      const [pattern, flags] = operand as [unknown, string];
      const expression = compileRegex(pattern, flags);
      const itself = regexValue(pattern, flags);
      return (value) =>
        tagOf(value) === TAG.string
          ? expression.test(String(value))
          : isRegex(value) && compareValues(value, itself) === 0;
    }
    case '$size':
      return (value) => Array.isArray(value) && value.length === operand;
    case '$mod': {
      const [divisor, remainder] = operand as [number, number];
      return (value) => isNumeric(value) && Math.trunc(toNumber(value)) % divisor === remainder;
    }
    default:
      return bitTest(operator, operand);
  }
}

function equalTo(operand: unknown, collation?: Collation): Predicate {
  if (operand === null || operand === undefined) return (value) => value === null || value === undefined;
  if (typeof operand === 'string') {
    if (!collation)
      return (value) => value === operand || (bsonType(value) === 'BSONSymbol' && String(value) === operand);
    const folded = collation.fold(operand);
    return (value) => typeof value === 'string' && collation.fold(value) === folded;
  }
  return (value) => value !== undefined && compareValues(value, operand, collation) === 0;
}

function ordered(operator: string, operand: unknown, collation?: Collation): Predicate {
  const inclusive = operator.endsWith('e');
  const below = operator.startsWith('$lt');
  if (operand === null) return (value) => inclusive && (value === null || value === undefined);
  const tag = tagOf(operand);
  const type = bsonType(operand);
  const anyType = type === 'MinKey' || type === 'MaxKey';
  return (value) => {
    if (value === undefined || (!anyType && tagOf(value) !== tag)) return false;
    if (isNaNValue(value) || isNaNValue(operand)) {
      if (!anyType) return inclusive && isNaNValue(value) && isNaNValue(operand);
    }
    const order = compareValues(value, operand, collation);
    return order === 0 ? inclusive : below === order < 0;
  };
}

function isNaNValue(value: unknown): boolean {
  return isNumeric(value) && Number.isNaN(toNumber(value));
}

function memberOf(operands: unknown[], collation?: Collation): Predicate {
  const tests = operands.filter(isRegex).map((pattern) => fieldTest('$regex', [pattern, ''], collation));
  const plain = operands.filter((operand) => !isRegex(operand));
  if (plain.length <= 8) {
    tests.push(...plain.map((operand) => equalTo(operand, collation)));
    return (value) => tests.some((test) => test(value));
  }
  const key = (value: unknown) => encodeKey([value ?? null], [], collation).toString('latin1');
  const keys = new Set(plain.map(key));
  return (value) => keys.has(key(value)) || tests.some((test) => test(value));
}

function bitTest(operator: string, operand: unknown): Predicate {
  const context = Context.init({ query: { ...bitwise } });
  const query = new Query({ value: { [operator]: operand } } as never, { context });
  return (value) => isNumeric(value) && query.test({ value: toNumber(value) } as never);
}
