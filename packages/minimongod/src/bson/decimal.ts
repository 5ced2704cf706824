import { Decimal128, type Double, type Long } from 'bson';
import { bsonType } from './value.ts';

/** coefficient × 10^exponent, exactly. */
export interface Exact {
  coefficient: bigint;
  exponent: number;
}

/** The exact value of a finite number of any BSON type; undefined for NaN and the infinities. */
export function exact(value: unknown): Exact | undefined {
  switch (bsonType(value)) {
    case 'Long':
      return { coefficient: (value as Long).toBigInt(), exponent: 0 };
    case 'Double':
      return exactDouble((value as Double).value);
    case 'Decimal128':
      return parseDecimal(String(value));
    default:
      return typeof value === 'number' ? exactDouble(value) : undefined;
  }
}

function parseDecimal(text: string): Exact | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?(?:E([+-]?\d+))?$/i.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const coefficient = BigInt(`${whole}${fraction}`);
  return {
    coefficient: sign === '-' ? -coefficient : coefficient,
    exponent: Number(exponent) - fraction.length,
  };
}

const bits = new DataView(new ArrayBuffer(8));

function exactDouble(value: number): Exact | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (Number.isInteger(value)) return { coefficient: BigInt(value), exponent: 0 };
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const biased = Number((word >> 52n) & 0x7ffn);
  const fraction = word & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  const power = (biased === 0 ? 1 : biased) - 1075;
  const signed = value < 0 ? -mantissa : mantissa;
  if (power >= 0) return { coefficient: signed << BigInt(power), exponent: 0 };
  // m / 2^n = m × 5^n / 10^n
  return { coefficient: signed * 5n ** BigInt(-power), exponent: power };
}

export function align(a: Exact, b: Exact): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [
    a.coefficient * 10n ** BigInt(a.exponent - exponent),
    b.coefficient * 10n ** BigInt(b.exponent - exponent),
    exponent,
  ];
}

export function compareExact(a: Exact, b: Exact): number {
  const [x, y] = align(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

export function toDecimal128(value: Exact): Decimal128 {
  return Decimal128.fromStringWithRounding(`${value.coefficient}E${value.exponent}`);
}

/** Any numeric value as a JS number, rounded. */
export function toNumber(value: unknown): number {
  switch (bsonType(value)) {
    case 'Long':
      return (value as Long).toNumber();
    case 'Double':
      return (value as Double).value;
    case 'Decimal128': {
      const text = String(value);
      return Number(text);
    }
    default:
      return value as number;
  }
}
