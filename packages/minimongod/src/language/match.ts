import type { Collation } from '../bson/collation.ts';
import { compareValues } from '../bson/compare.ts';
import { mapKey } from '../bson/key.ts';
import { someValue } from '../bson/paths.ts';
import { CANONICAL, canonicalType, isNullish, isNumeric, isRegex, typeName } from '../bson/types.ts';
import { bsonType, type Doc, isDoc, toNumber, truthy } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import { compileExpression } from './expression.ts';
import type { Scope } from './expression-context.ts';
import type { FieldFilter, Filter } from './filter.ts';
import { compileRegex, regexValue } from './regex.ts';

export type Predicate = (value: unknown) => boolean;

export interface MatchOptions {
  readonly collation?: Collation | undefined;
  /** For $expr, which a filter without a scope must not contain. */
  readonly scope?: Scope;
}

/** Compiles a filter to a test of a document (or of a value, inside $elemMatch). */
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
      if (!options.scope) throw badValue('$expr is not allowed in this context');
      const evaluate = compileExpression(filter.expression, options.scope);
      return (value) => truthy(evaluate(value as Doc));
    }
    case 'elemMatch': {
      const child = compileFilter(filter.child, options);
      return atPath(filter.path, false, (value) => Array.isArray(value) && value.some(child));
    }
    case 'field': {
      const { operator, path, operand } = filter;
      if (operator === '$exists') {
        const exists = atPath(path, false, (value) => value !== undefined);
        return operand === true ? exists : (value) => !exists(value);
      }
      return atPath(path, operator !== '$size', fieldTest(filter, options.collation));
    }
  }
}

function atPath(path: readonly string[] | null, expandLeaf: boolean, test: Predicate): Predicate {
  if (path === null) return test;
  const [name] = path;
  // The common case of a top-level field is faster without a recursive visit.
  if (path.length === 1 && name !== undefined) {
    return (root) => {
      if (!isDoc(root)) return someValue(root, path, expandLeaf, test);
      const value = Object.hasOwn(root, name) ? root[name] : undefined;
      return test(value) || (expandLeaf && Array.isArray(value) && value.some(test));
    };
  }
  return (root) => someValue(root, path, expandLeaf, test);
}

function fieldTest({ operator, operand }: FieldFilter, collation?: Collation): Predicate {
  switch (operator) {
    case '$eq':
      return equalTo(operand, collation);
    case '$in':
      return memberOf(operand as unknown[], collation);
    case '$type': {
      const aliases = new Set(operand as string[]);
      return (value) => aliases.has(typeName(value));
    }
    case '$regex':
      return regexTest(...(operand as [unknown, string]));
    case '$size':
      return (value) => Array.isArray(value) && value.length === operand;
    case '$mod': {
      const [divisor, remainder] = operand as [number, number];
      return (value) => isNumeric(value) && Math.trunc(toNumber(value)) % divisor === remainder;
    }
    default:
      return inequality(operator, operand, collation);
  }
}

function equalTo(operand: unknown, collation?: Collation): Predicate {
  if (isNullish(operand)) return isNullish;
  if (typeof operand === 'string') {
    if (!collation) {
      return (value) => value === operand || (bsonType(value) === 'BSONSymbol' && String(value) === operand);
    }
    const folded = collation.fold(operand);
    return (value) => typeof value === 'string' && collation.fold(value) === folded;
  }
  return (value) => value !== undefined && compareValues(value, operand, collation) === 0;
}

function memberOf(operands: unknown[], collation?: Collation): Predicate {
  const tests = operands.filter(isRegex).map((pattern) => regexTest(pattern));
  const values = operands.filter((operand) => !isRegex(operand));
  if (values.length <= 8) {
    tests.push(...values.map((operand) => equalTo(operand, collation)));
    return (value) => tests.some((test) => test(value));
  }
  // Built at first use: most long lists bound an index exactly, and then no document is tested.
  let keys: Set<string> | undefined;
  return (value) => {
    keys ??= new Set(values.map((each) => mapKey(each ?? null, collation)));
    return keys.has(mapKey(value ?? null, collation)) || tests.some((test) => test(value));
  };
}

function regexTest(pattern: unknown, options = ''): Predicate {
  if (String(pattern).includes('\0')) {
    throw badValue('Regular expression cannot contain an embedded null byte');
  }
  const expression = compileRegex(pattern, options);
  const stored = regexValue(pattern, options);
  return (value) =>
    canonicalType(value) === CANONICAL.string
      ? expression.test(String(value))
      : isRegex(value) && compareValues(value, stored) === 0;
}

/** $gt, $gte, $lt and $lte compare only values of the operand's type (type bracketing). */
function inequality(operator: string, operand: unknown, collation?: Collation): Predicate {
  const inclusive = operator.endsWith('e');
  const less = operator.startsWith('$lt');
  if (operand === null) return (value) => inclusive && isNullish(value);
  const type = canonicalType(operand);
  const anyType = type === CANONICAL.minKey || type === CANONICAL.maxKey;
  return (value) => {
    if (value === undefined || (!anyType && canonicalType(value) !== type)) return false;
    if (!anyType && (isNaNValue(value) || isNaNValue(operand))) {
      return inclusive && isNaNValue(value) && isNaNValue(operand);
    }
    const order = compareValues(value, operand, collation);
    return order === 0 ? inclusive : less === order < 0;
  };
}

function isNaNValue(value: unknown): boolean {
  return isNumeric(value) && Number.isNaN(toNumber(value));
}
