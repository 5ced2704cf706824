import { Decimal128, Double, Long } from 'bson';
import { align, exact, toDecimal128, toNumber } from './decimal.ts';
import { typeName } from './types.ts';
import { isInt32 } from './value.ts';

type Operation = 'add' | 'subtract' | 'multiply';

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * Arithmetic as MongoDB's: the wider of the two types wins, an int that overflows becomes a long.
 * A long that overflows is undefined here, because $inc refuses it where an expression goes on in doubles.
 */
export function arithmetic(operation: Operation, a: unknown, b: unknown): unknown {
  const types = [typeName(a), typeName(b)];
  if (types.includes('decimal')) return decimalArithmetic(operation, a, b);
  if (types.includes('double')) return double(inDoubles(operation, a, b));
  if (typeof a === 'number' && typeof b === 'number') {
    const result = inDoubles(operation, a, b);
    if (isInt32(result)) return result;
    if (Object.is(result, -0)) return 0;
    if (Number.isSafeInteger(result)) return Long.fromNumber(result);
  }
  const left = toBigInt(a);
  const right = toBigInt(b);
  const result = operation === 'add' ? left + right : operation === 'subtract' ? left - right : left * right;
  if (result > INT64_MAX || result < INT64_MIN) return undefined;
  // long with anything stays long; only int with int narrows
  if (types[0] === 'int' && types[1] === 'int' && isInt32(Number(result))) return Number(result);
  return Long.fromBigInt(result);
}

/** The same in an expression, which goes on in doubles when 64 bits are not enough. */
export function expressionArithmetic(operation: Operation, a: unknown, b: unknown): unknown {
  return arithmetic(operation, a, b) ?? double(inDoubles(operation, a, b));
}

/** A value of BSON type double, whatever its fraction. */
export function double(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}

function toBigInt(value: unknown): bigint {
  return typeof value === 'number' ? BigInt(value) : (value as Long).toBigInt();
}

function inDoubles(operation: Operation, a: unknown, b: unknown): number {
  const left = toNumber(a);
  const right = toNumber(b);
  return operation === 'add' ? left + right : operation === 'subtract' ? left - right : left * right;
}

function decimalArithmetic(operation: Operation, a: unknown, b: unknown): Decimal128 {
  const left = exact(a);
  const right = exact(b);
  if (!left || !right) {
    const result = inDoubles(operation, a, b);
    return Decimal128.fromString(Number.isNaN(result) ? 'NaN' : result > 0 ? 'Infinity' : '-Infinity');
  }
  if (operation === 'multiply') {
    return toDecimal128({
      coefficient: left.coefficient * right.coefficient,
      exponent: left.exponent + right.exponent,
    });
  }
  const [x, y, exponent] = align(left, right);
  return toDecimal128({ coefficient: operation === 'add' ? x + y : x - y, exponent });
}
