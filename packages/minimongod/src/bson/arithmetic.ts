import { Double, Long } from 'bson';
import { CommandError } from '../errors.ts';
import { typeName } from './types.ts';
import { isInt32, toNumber } from './value.ts';

type Operation = 'add' | 'subtract' | 'multiply';

/**
 * Arithmetic with MongoDB's types: the wider type wins, an int that overflows becomes a long.
 * Returns undefined for a long that overflows: $inc refuses it, an expression continues in doubles.
 */
export function arithmetic(operation: Operation, a: unknown, b: unknown): unknown {
  checkCalculable([a, b]);
  if (typeName(a) === 'double' || typeName(b) === 'double') return double(inDoubles(operation, a, b));
  if (typeof a === 'number' && typeof b === 'number') {
    const int = inDoubles(operation, a, b) + 0;
    if (isInt32(int)) return int;
  }
  const result = inLongs(operation, BigInt(String(a)), BigInt(String(b)));
  if (BigInt.asIntN(64, result) !== result) return undefined;
  return Long.fromBigInt(result);
}

/** A Decimal128 is stored and compared, but not calculated with. */
export function checkCalculable(numbers: unknown[]): void {
  if (numbers.every((number) => typeName(number) !== 'decimal')) return;
  throw new CommandError(115, 'Arithmetic on Decimal128 is not supported');
}

/** The same in an expression: a result beyond 64 bits is a double. */
export function expressionArithmetic(operation: Operation, a: unknown, b: unknown): unknown {
  return arithmetic(operation, a, b) ?? double(inDoubles(operation, a, b));
}

function inDoubles(operation: Operation, a: unknown, b: unknown): number {
  const [left, right] = [toNumber(a), toNumber(b)];
  return operation === 'add' ? left + right : operation === 'subtract' ? left - right : left * right;
}

function inLongs(operation: Operation, a: bigint, b: bigint): bigint {
  return operation === 'add' ? a + b : operation === 'subtract' ? a - b : a * b;
}

/** A value of BSON type double, whether or not it has a fraction. */
export function double(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}
