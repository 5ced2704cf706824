import { compareExact, type Exact, exact, toNumber } from './decimal.ts';
import { bsonType } from './value.ts';

const scratch = Buffer.alloc(8);

/**
 * A number of any type in bytes whose order is that of the values, so that 5, Long 5 and Decimal 5.0 are one key:
 * the largest double that is not above the value, whether something remains above that, and if so the remainder.
 */
export function numberKey(value: unknown): Buffer {
  if (typeof value === 'number') return doubleKey(value, 0);
  const number = toNumber(value);
  const precise = exact(value);
  if (bsonType(value) === 'Double' || !precise) return doubleKey(number, 0);
  const floor = floorDouble(number, precise);
  const base = exact(floor);
  if (base && compareExact(base, precise) === 0) return doubleKey(floor, 0);
  const outside = !base || floor === 0 || floor === -Number.MIN_VALUE || floor === Number.MAX_VALUE;
  const rest = outside ? extremeKey(precise) : bigEndian(remainderInUlps(precise, base, floor), 12);
  return Buffer.concat([doubleKey(floor, 1), rest]);
}

/** NaN comes before all other numbers, −0 equals 0. */
function doubleKey(value: number, remainder: 0 | 1): Buffer {
  const key = Buffer.alloc(9);
  if (!Number.isNaN(value)) {
    key.writeDoubleBE(value === 0 ? 0 : value);
    if ((key[0] as number) & 0x80) for (let i = 0; i < 8; i++) key[i] = 255 - (key[i] as number);
    else key[0] = (key[0] as number) | 0x80;
  }
  key[8] = remainder;
  return key;
}

function floorDouble(rounded: number, value: Exact): number {
  if (rounded === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
  const base = exact(rounded);
  if (!base || compareExact(base, value) <= 0) return rounded;
  return nextDown(rounded);
}

function nextDown(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  if (value === Number.NEGATIVE_INFINITY) return value;
  scratch.writeDoubleBE(value);
  const word = scratch.readBigUInt64BE();
  scratch.writeBigUInt64BE(value > 0 ? word - 1n : word + 1n);
  return scratch.readDoubleBE();
}

/** (value − floor) as a 96-bit fraction of the gap to the next double: injective for 34 decimal digits. */
function remainderInUlps(value: Exact, base: Exact, floor: number): bigint {
  const above = exact(-nextDown(-floor));
  if (!above) return 0n;
  const exponent = Math.min(value.exponent, base.exponent, above.exponent);
  const scale = (e: Exact) => e.coefficient * 10n ** BigInt(e.exponent - exponent);
  return ((scale(value) - scale(base)) << 96n) / (scale(above) - scale(base));
}

/** Decimals beyond the range of doubles: exponent, then digits; inverted for negative ones. */
function extremeKey({ coefficient, exponent }: Exact): Buffer {
  const negative = coefficient < 0n;
  const digits = String(negative ? -coefficient : coefficient);
  const bytes = Buffer.concat([
    bigEndian(BigInt(exponent + digits.length + 8192), 2),
    bigEndian(BigInt(digits.padEnd(36, '0').slice(0, 36)), 15),
  ]);
  return negative ? Buffer.from(bytes.map((byte) => 255 - byte)) : bytes;
}

function bigEndian(value: bigint, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex');
}
