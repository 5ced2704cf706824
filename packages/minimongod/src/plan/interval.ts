import type { Collation } from '../bson/collation.ts';
import { encodeKey } from '../bson/key.ts';
import type { KeyRange } from './plan.ts';

export interface Bound {
  readonly value: unknown;
  readonly inclusive: boolean;
}

/** An end of an interval, encoded ascending. An `open` one is the end of its type's values. */
interface Edge {
  readonly bytes: Buffer;
  readonly inclusive: boolean;
  readonly open: boolean;
}

/** The values of one index field between two edges. */
export interface Interval {
  readonly low: Edge;
  readonly high: Edge;
}

export function pointInterval(value: unknown, collation: Collation | undefined): Interval {
  const edge = { bytes: encodeKey([value], [], collation), inclusive: true, open: false };
  return { low: edge, high: edge };
}

/** All strings with a prefix. */
export function prefixInterval(text: string, collation: Collation | undefined): Interval {
  // Without the two bytes that end a string.
  const edge = { bytes: encodeKey([text], [], collation).subarray(0, -2), inclusive: true, open: false };
  return { low: edge, high: edge };
}

/** All values of a canonical type between two optional bounds. */
export function typeInterval(type: number, lower?: Bound, upper?: Bound): Interval {
  const open = { bytes: Buffer.from([type]), inclusive: true, open: true };
  const edge = ({ value, inclusive }: Bound) => ({ bytes: encodeKey([value]), inclusive, open: false });
  return { low: lower ? edge(lower) : open, high: upper ? edge(upper) : open };
}

/** The bytes of a point, which start its range. */
export const pointKey = ({ low }: Interval, descending: boolean): Buffer =>
  descending ? invert(low.bytes) : low.bytes;

/**
 * The byte range of an interval. A value is followed by the type of the next value or by the end of the key, and a
 * string's prefix by at most two 0xff (its inverted end), so three 0xff are just above everything that starts with
 * the value. The start of a point is the encoded value itself.
 */
export function rangeOf({ low, high }: Interval, descending: boolean): KeyRange {
  const lowType = low.bytes[0] as number;
  const highType = high.bytes[0] as number;
  if (!descending) {
    return {
      start: low.inclusive ? low.bytes : above(low.bytes),
      end: high.open ? Buffer.from([highType + 1]) : high.inclusive ? above(high.bytes) : high.bytes,
    };
  }
  const start = invert(high.bytes);
  const end = invert(low.bytes);
  return {
    start: high.open ? Buffer.from([255 - highType]) : high.inclusive ? start : above(start),
    end: low.open ? Buffer.from([256 - lowType]) : low.inclusive ? above(end) : end,
  };
}

function above(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.from([0xff, 0xff, 0xff])]);
}

function invert(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => 255 - byte));
}
