import type { Double, Long } from 'bson';
import { bsonType, toNumber } from './value.ts';

const scratch = Buffer.alloc(8);

/**
 * A number of any type as bytes in the order of the values, so that 5, Long 5 and Decimal 5.0 have the same key.
 * The key is the largest double that is not above the value, then whether the value exceeds that double, and if so
 * its exact digits.
 */
export function numberKey(value: unknown): Buffer {
  if (typeof value === 'number') return doubleKey(value, 0);
  const number = toNumber(value);
  const precise = bsonType(value) === 'Double' ? undefined : exact(value);
  if (!precise) return doubleKey(number, 0);
  const floor = floorDouble(number, precise);
  const base = exact(floor);
  if (base && compareExact(base, precise) === 0) return doubleKey(floor, 0);
  return Buffer.concat([doubleKey(floor, 1), digitsKey(precise)]);
}

/** NaN sorts before all other numbers; −0 equals 0. */
function doubleKey(value: number, exceeds: 0 | 1): Buffer {
  const key = Buffer.alloc(9);
  if (!Number.isNaN(value)) {
    key.writeDoubleBE(value === 0 ? 0 : value);
    if ((key[0] as number) & 0x80) for (let i = 0; i < 8; i++) key[i] = 255 - (key[i] as number);
    else key[0] = (key[0] as number) | 0x80;
  }
  key[8] = exceeds;
  return key;
}

function floorDouble(rounded: number, value: Exact): number {
  if (rounded === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
  const base = exact(rounded);
  return !base || compareExact(base, value) <= 0 ? rounded : nextDown(rounded);
}

function nextDown(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  scratch.writeDoubleBE(value);
  const word = scratch.readBigUInt64BE();
  scratch.writeBigUInt64BE(value > 0 ? word - 1n : word + 1n);
  return scratch.readDoubleBE();
}

/** The order of magnitude, then up to 36 digits (a Decimal128 has 34); inverted for negative numbers. */
function digitsKey({ coefficient, exponent }: Exact): Buffer {
  const negative = coefficient < 0n;
  const digits = String(negative ? -coefficient : coefficient);
  const bytes = Buffer.concat([
    bigEndian(BigInt(exponent + digits.length + 8192), 2),
    bigEndian(BigInt(digits.padEnd(36, '0')), 15),
  ]);
  return negative ? Buffer.from(bytes.map((byte) => 255 - byte)) : bytes;
}

function bigEndian(value: bigint, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex');
}

/** coefficient × 10^exponent. */
interface Exact {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** The exact value of a finite number; undefined for NaN and the infinities. */
function exact(value: unknown): Exact | undefined {
  switch (bsonType(value)) {
    case 'Long':
      return { coefficient: (value as Long).toBigInt(), exponent: 0 };
    case 'Double':
      return exactDouble((value as Double).value);
    case 'Decimal128':
      return parseDecimal(String(value));
    default:
      return exactDouble(value as number);
  }
}

function parseDecimal(text: string): Exact | undefined {
  const match = /^([+-]?\d+)(?:\.(\d*))?(?:E([+-]?\d+))?$/i.exec(text);
  if (!match) return undefined;
  const [, whole, fraction = '', exponent = '0'] = match;
  return { coefficient: BigInt(`${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}

function exactDouble(value: number): Exact | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (Number.isInteger(value)) return { coefficient: BigInt(value), exponent: 0 };
  scratch.writeDoubleBE(value);
  const word = scratch.readBigUInt64BE();
  const biased = Number((word >> 52n) & 0x7ffn);
  const fraction = word & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  // A double with a fraction is m / 2^n = m × 5^n / 10^n.
  const n = 1075 - (biased === 0 ? 1 : biased);
  return { coefficient: (value < 0 ? -mantissa : mantissa) * 5n ** BigInt(n), exponent: -n };
}

function compareExact(a: Exact, b: Exact): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const x = a.coefficient * 10n ** BigInt(a.exponent - exponent);
  const y = b.coefficient * 10n ** BigInt(b.exponent - exponent);
  return x < y ? -1 : x > y ? 1 : 0;
}
