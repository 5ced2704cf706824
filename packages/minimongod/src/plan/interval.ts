import type { Collation } from '../bson/collation.ts';
import { encodeKey } from '../bson/key.ts';

export interface Bound {
  readonly value: unknown;
  readonly inclusive: boolean;
}

/** Boundaries of one index field, as bytes in ascending encoding; `bare` ones hold a type's tag alone. */
interface Edge {
  readonly bytes: Buffer;
  readonly inclusive: boolean;
  readonly bare: boolean;
}

export interface Interval {
  readonly low: Edge;
  readonly high: Edge;
}

export function point(value: unknown, collation: Collation | undefined): Interval {
  const bytes = encodeKey([value], [], collation);
  return { low: { bytes, inclusive: true, bare: false }, high: { bytes, inclusive: true, bare: false } };
}

/** All strings that begin with a text. */
export function prefixInterval(text: string): Interval {
  // without the two bytes that end a text
  const bytes = encodeKey([text]).subarray(0, -2);
  return { low: { bytes, inclusive: true, bare: false }, high: { bytes, inclusive: true, bare: false } };
}

/** All values of one type between two bounds; a bound that is not given is the type's own. */
export function typeInterval(tag: number, lower?: Bound, upper?: Bound): Interval {
  const bare = { bytes: Buffer.from([tag]), inclusive: true, bare: true };
  return { low: lower ? edge(lower) : bare, high: upper ? edge(upper) : bare };
}

function edge({ value, inclusive }: Bound): Edge {
  return { bytes: encodeKey([value]), inclusive, bare: false };
}

/**
 * The half-open byte range of an interval. After a whole value comes the next value's tag or the end, and after a
 * text's beginning never more than two 0xff (its end, inverted), so that three of them lie just above everything that
 * begins so. A point's start is the value itself.
 */
export function rangeBytes({ low, high }: Interval, descending: boolean): { start: Buffer; end: Buffer } {
  if (!descending) {
    return {
      start: low.inclusive ? low.bytes : above(low.bytes),
      end: high.bare ? Buffer.from([tag(high) + 1]) : high.inclusive ? above(high.bytes) : high.bytes,
    };
  }
  return {
    start: high.bare
      ? Buffer.from([255 - tag(high)])
      : high.inclusive
        ? inverted(high.bytes)
        : above(inverted(high.bytes)),
    end: low.bare
      ? Buffer.from([256 - tag(low)])
      : low.inclusive
        ? above(inverted(low.bytes))
        : inverted(low.bytes),
  };
}

function tag(edge: Edge): number {
  return edge.bytes[0] as number;
}

function above(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.from([0xff, 0xff, 0xff])]);
}

function inverted(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => 255 - byte));
}
