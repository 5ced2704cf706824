import { Long } from 'bson';
import { checkCalculable, double, expressionArithmetic } from '../bson/arithmetic.ts';
import { isNullish, isNumeric, isRegex, typeName } from '../bson/types.ts';
import { bsonType, toNumber } from '../bson/value.ts';
import { badValue, CommandError, typeMismatch } from '../errors.ts';
import { nullable, type Operator, parameters, positional, VARIADIC } from './expression-context.ts';
import { compileRegex } from './regex.ts';

/** Arithmetic, strings, conversions and dates. */
export const SCALAR_OPERATORS: Record<string, Operator> = {
  $add: nullable(VARIADIC, (terms) => {
    const dates = terms.filter((term) => term instanceof Date);
    if (dates.length > 1) throw new CommandError(16612, 'only one date allowed in an $add expression');
    const numbers = terms.filter((term) => !(term instanceof Date));
    const wrong = numbers.find((term) => !isNumeric(term));
    if (wrong !== undefined) {
      throw typeMismatch(`$add only supports numeric or date types, not ${typeName(wrong)}`);
    }
    const sum = numbers.reduce((total, term) => expressionArithmetic('add', total, term), 0);
    return dates[0] ? new Date(dates[0].getTime() + Math.round(toNumber(sum))) : sum;
  }),
  $subtract: nullable([2, 2], ([a, b]) => {
    if (a instanceof Date && b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime());
    if (a instanceof Date && isNumeric(b)) return new Date(a.getTime() - Math.round(toNumber(b)));
    if (isNumeric(a) && isNumeric(b)) return expressionArithmetic('subtract', a, b);
    throw typeMismatch(`can't $subtract ${typeName(b)} from ${typeName(a)}`);
  }),
  $multiply: nullable(VARIADIC, (terms, { operator }) =>
    numbersOf(terms, operator).reduce((product, term) => expressionArithmetic('multiply', product, term), 1),
  ),
  $divide: nullable([2, 2], (terms, { operator }) => {
    const [a = 0, b = 0] = numbersOf(terms, operator).map(toNumber);
    if (b === 0) throw badValue("can't $divide by zero");
    return double(a / b);
  }),
  $mod: nullable([2, 2], (terms, { operator }) => {
    const [a, b] = numbersOf(terms, operator);
    if (toNumber(b) === 0) throw new CommandError(16610, "can't $mod by zero");
    const types = terms.map(typeName);
    if (types.includes('double')) return double(toNumber(a) % toNumber(b));
    const remainder = Long.fromBigInt(BigInt(String(a)) % BigInt(String(b)));
    return types.includes('long') ? remainder : remainder.toNumber();
  }),
  $abs: rounding(Math.abs),
  $ceil: rounding(Math.ceil),
  $floor: rounding(Math.floor),
  $sum: positional(VARIADIC, (operands) =>
    numbersIn(operands).reduce((total, term) => expressionArithmetic('add', total, term), 0),
  ),
  $avg: positional(VARIADIC, (operands) => {
    const numbers = numbersIn(operands).map(toNumber);
    return numbers.length === 0 ? null : double(numbers.reduce((a, b) => a + b) / numbers.length);
  }),

  $concat: nullable(VARIADIC, (terms, { operator }) =>
    terms.map((term) => stringOf(term, operator, 16702)).join(''),
  ),
  $split: nullable([2, 2], ([text, delimiter]) => {
    if (typeof text !== 'string') throw splitFailure(40085, 'a string as a first', text);
    if (typeof delimiter !== 'string') throw splitFailure(40086, 'a string as a second', delimiter);
    if (delimiter === '') throw new CommandError(40087, '$split requires a non-empty separator');
    return text.split(delimiter);
  }),
  $toLower: positional([1, 1], ([value]) => convertToString(value, 16007).toLowerCase()),
  $toUpper: positional([1, 1], ([value]) => convertToString(value, 16007).toUpperCase()),
  $regexMatch: (operand, { compile, operator }) => {
    const given = parameters(operand, operator, {
      input: 'required',
      regex: 'required',
      options: 'optional',
    });
    const [input, regex, options] = [given.input, given.regex, given.options].map((each) => compile(each));
    return (variables) => {
      const value = input?.(variables);
      const pattern = regex?.(variables);
      if (isNullish(value) || isNullish(pattern)) return false;
      const flags = options?.(variables);
      if (typeof pattern !== 'string' && !isRegex(pattern)) {
        throw new CommandError(51105, "$regexMatch needs 'regex' to be of type string or regex");
      }
      if (String(pattern).includes('\0')) {
        throw new CommandError(51109, '$regexMatch: regular expression cannot contain an embedded null byte');
      }
      return compileRegex(pattern, typeof flags === 'string' ? flags : '').test(
        stringOf(value, operator, 51104),
      );
    };
  },

  $toString: nullable([1, 1], ([value]) => convertToString(value, 241)),
  $toLong: nullable([1, 1], ([value]) => {
    if (bsonType(value) === 'Long') return value;
    if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) return Long.fromString(value);
    return Long.fromNumber(Math.trunc(convertToNumber(value)));
  }),
  $toDouble: nullable([1, 1], ([value]) => double(convertToNumber(value))),
  $year: datePart((date) => date.getUTCFullYear()),
  $month: datePart((date) => date.getUTCMonth() + 1),
  $dayOfMonth: datePart((date) => date.getUTCDate()),
  $dateToString: (operand, { compile, operator }) => {
    const given = parameters(operand, operator, { date: 'required', format: 'optional' });
    const [date, format] = [given.date, given.format ?? '%Y-%m-%dT%H:%M:%S.%LZ'].map((each) => compile(each));
    return (variables) => {
      const value = date?.(variables);
      return isNullish(value) ? null : formatDate(dateOf(value), String(format?.(variables)));
    };
  },
};

const splitFailure = (code: number, position: string, value: unknown) =>
  new CommandError(
    code,
    `$split requires an expression that evaluates to ${position} argument, found: ${typeName(value)}`,
  );

function rounding(round: (value: number) => number): Operator {
  return nullable([1, 1], ([number], { operator }) => {
    numbersOf([number], operator);
    if (typeName(number) === 'double') return double(round(toNumber(number)));
    if (round !== Math.abs || toNumber(number) >= 0) return number;
    return expressionArithmetic('subtract', 0, number);
  });
}

function numbersOf(terms: unknown[], operator: string): unknown[] {
  const wrong = terms.find((term) => !isNumeric(term));
  checkCalculable(terms);
  if (wrong === undefined) return terms;
  throw typeMismatch(`${operator} only supports numeric types, not ${typeName(wrong)}`);
}

/** The numbers among the operands, or among the elements of a single operand that is an array. */
function numbersIn(operands: unknown[]): unknown[] {
  const numbers = (operands.length === 1 ? operands.flat(1) : operands).filter(isNumeric);
  checkCalculable(numbers);
  return numbers;
}

function stringOf(value: unknown, operator: string, code: number): string {
  if (typeof value === 'string') return value;
  throw new CommandError(code, `${operator} only supports strings, not ${typeName(value)}`);
}

function convertToString(value: unknown, code: 241 | 16007): string {
  if (isNullish(value)) return '';
  if (value instanceof Date) return value.toISOString();
  const type = typeName(value);
  if (['string', 'bool', 'objectId'].includes(type) || isNumeric(value)) return String(value);
  throw new CommandError(
    code,
    code === 241
      ? `Unsupported conversion from ${type} to string in $convert with no onError value`
      : `can't convert from BSON type ${type} to String`,
  );
}

function convertToNumber(value: unknown): number {
  if (isNumeric(value)) return toNumber(value);
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return value.getTime();
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw conversionFailure(value);
  return number;
}

function conversionFailure(value: unknown): CommandError {
  return new CommandError(241, `Failed to parse '${String(value)}' in $convert with no onError value`);
}

function datePart(part: (date: Date) => number): Operator {
  return nullable([1, 1], ([value]) => part(dateOf(value)));
}

function dateOf(value: unknown): Date {
  if (value instanceof Date) return value;
  throw new CommandError(16006, `can't convert from BSON type ${typeName(value)} to Date`);
}

function formatDate(date: Date, format: string): string {
  const iso = date.toISOString();
  const parts: Record<string, string> = {
    Y: iso.slice(0, -20),
    m: iso.slice(-19, -17),
    d: iso.slice(-16, -14),
    H: iso.slice(-13, -11),
    M: iso.slice(-10, -8),
    S: iso.slice(-7, -5),
    L: iso.slice(-4, -1),
    '%': '%',
  };
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    const part = parts[letter];
    if (part === undefined)
      throw new CommandError(18536, `Invalid format character '%${letter}' in format string`);
    return part;
  });
}
