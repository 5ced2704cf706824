import type { ObjectId } from 'bson';
import type { Collation } from './collation.ts';
import { encodeKey } from './key.ts';
import { CANONICAL, canonicalType } from './types.ts';
import type { Doc } from './value.ts';

/** MongoDB's comparison order. A missing field (undefined) sorts before null. */
export function compareValues(a: unknown, b: unknown, collation?: Collation): number {
  if (a === b) return 0;
  const type = canonicalType(a);
  const difference = type - canonicalType(b);
  if (difference !== 0) return difference;
  switch (type) {
    case CANONICAL.string:
      return compareStrings(String(a), String(b), collation);
    case CANONICAL.number:
      if (typeof a === 'number' && typeof b === 'number' && !Number.isNaN(a + b)) return a - b || 0;
      break;
    case CANONICAL.date:
      return (a as Date).getTime() - (b as Date).getTime();
    case CANONICAL.boolean:
      return Number(a) - Number(b);
    case CANONICAL.objectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case CANONICAL.array:
      return compareArrays(a as unknown[], b as unknown[], collation);
    case CANONICAL.object:
      return compareDocs(a as Doc, b as Doc, collation);
    case CANONICAL.null:
    case CANONICAL.minKey:
    case CANONICAL.maxKey:
      return 0;
  }
  return Buffer.compare(encodeKey([a]), encodeKey([b]));
}

export function equalValues(a: unknown, b: unknown, collation?: Collation): boolean {
  return compareValues(a, b, collation) === 0;
}

/** Compares by UTF-8 bytes, whose order differs from JavaScript's where there are surrogate pairs. */
function compareStrings(a: string, b: string, collation?: Collation): number {
  if (collation) return collation.compare(a, b);
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800) return Buffer.compare(Buffer.from(a), Buffer.from(b));
    return x - y;
  }
  return a.length - b.length;
}

function compareArrays(a: unknown[], b: unknown[], collation?: Collation): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareValues(a[i], b[i], collation);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareDocs(a: Doc, b: Doc, collation?: Collation): number {
  const left = Object.keys(a);
  const right = Object.keys(b);
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const x = left[i] as string;
    const y = right[i] as string;
    const order =
      canonicalType(a[x]) - canonicalType(b[y]) ||
      compareStrings(x, y) ||
      compareValues(a[x], b[y], collation);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
