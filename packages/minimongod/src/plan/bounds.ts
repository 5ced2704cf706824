import type { Collation } from '../bson/collation.ts';
import { CANONICAL, canonicalType, isNullish, isRegex } from '../bson/types.ts';
import { isDoc, toNumber } from '../bson/value.ts';
import type { FieldFilter } from '../language/filter.ts';
import { regexPrefix, regexValue } from '../language/regex.ts';
import { type Index, isMultikey } from '../store/index-keys.ts';
import type { Condition } from './conditions.ts';
import { type Bound, type Interval, pointInterval, prefixInterval, typeInterval } from './interval.ts';

export interface FieldBounds {
  readonly intervals: Interval[];
  /** Whether every interval is a single value. */
  readonly points: boolean;
  /** Whether the intervals hold exactly what the used conditions match. */
  readonly exact: boolean;
  readonly excludesMissing: boolean;
  readonly used: FieldFilter[];
}

/** The tightest bounds that the conditions set on one field of an index. */
export function fieldBounds(
  position: number,
  conditions: readonly Condition[],
  index: Index,
  collation: Collation | undefined,
): FieldBounds | undefined {
  const name = index.names[position];
  const multikey = isMultikey(index, position);
  const fields = conditions.filter((condition) => condition.name === name).map(({ field }) => field);
  const points = fields.flatMap((field) => pointBounds(field, multikey, index, collation) ?? []);
  if (points.length > 0) {
    return points.reduce((best, each) => (each.intervals.length < best.intervals.length ? each : best));
  }
  for (const field of fields) {
    const bounds = prefixBounds(field, index);
    if (bounds) return bounds;
  }
  return rangeBounds(
    fields.filter((field) => isRange(field) && isRangeable(field.operand, index, collation)),
    multikey,
  );
}

const isRange = ({ operator }: FieldFilter) => /^\$[gl]te?$/.test(operator);

function rangeBounds(fields: FieldFilter[], multikey: boolean): FieldBounds | undefined {
  const lower = fields.find(({ operator }) => operator.startsWith('$gt'));
  const upper = fields.find(({ operator }) => operator.startsWith('$lt'));
  const first = lower ?? upper;
  if (!first) return undefined;
  const type = canonicalType(first.operand);
  // On a multikey field, two elements may satisfy the two bounds, so only one bound may be used.
  const both = lower && upper && !multikey && canonicalType(upper.operand) === type;
  const low = lower && boundOf(lower);
  const high = upper && (both || !lower) ? boundOf(upper) : undefined;
  return {
    intervals: [typeInterval(type, low, high)],
    points: false,
    // NaN is below every number in the index, but it is not less than any number.
    exact: type !== CANONICAL.number || lower !== undefined,
    excludesMissing: true,
    used: both ? [lower, upper] : [first],
  };
}

function boundOf({ operator, operand }: FieldFilter): Bound {
  return { value: operand, inclusive: operator.endsWith('e') };
}

function pointBounds(
  field: FieldFilter,
  multikey: boolean,
  index: Index,
  collation: Collation | undefined,
): FieldBounds | undefined {
  const { operator, operand } = field;
  let values: unknown[];
  if (operator === '$eq') values = [operand];
  else if (operator === '$in') values = operand as unknown[];
  else if (operator === '$exists' && operand === false) values = [null];
  else return undefined;
  if (!values.every((value) => !isRegex(value) && isComparable(value, index, collation))) return undefined;
  // An array equals a stored array, which is indexed by its elements, or an element that is an array.
  const points = values.flatMap((value) => (Array.isArray(value) ? [value[0], value] : [value]));
  const nullish = values.some(isNullish);
  return {
    intervals: points.map((value) => pointInterval(value, index.collation)),
    points: true,
    exact: operator !== '$exists' && !values.some(Array.isArray) && !(nullish && multikey),
    excludesMissing: !nullish,
    used: [field],
  };
}

/** An anchored pattern matches the strings with its prefix, and a stored pattern that equals it. */
function prefixBounds(field: FieldFilter, index: Index): FieldBounds | undefined {
  const { collation } = index;
  if (field.operator !== '$regex') return undefined;
  const [pattern, options] = field.operand as [unknown, string];
  const prefix = regexPrefix(pattern, options);
  if (!prefix || (prefix.anyCase && !collation?.foldsCase)) return undefined;
  // Beyond ASCII, a folded text need not begin with its folded prefix.
  if (collation && !/^[\x20-\x7e]+$/.test(prefix.text)) return undefined;
  return {
    intervals: [
      prefixInterval(prefix.text, collation),
      pointInterval(regexValue(pattern, options), collation),
    ],
    points: false,
    // Patterns ignore collations.
    exact: prefix.whole && !collation,
    excludesMissing: true,
    used: [field],
  };
}

/** Whether the index and the query agree on equality: they have the same collation, or there is no string. */
function isComparable(value: unknown, index: Index, collation: Collation | undefined): boolean {
  return index.collation === collation || !containsString(value);
}

/** Whether a value can bound a range; folded keys of strings are not in the collation's order. */
function isRangeable(value: unknown, index: Index, collation: Collation | undefined): boolean {
  const type = canonicalType(value);
  if (type === CANONICAL.string) return index.collation === undefined && collation === undefined;
  if (type === CANONICAL.number) return !Number.isNaN(toNumber(value));
  const { null: nothing, undefined: missing, minKey, maxKey, array, object } = CANONICAL;
  return ![nothing, missing, minKey, maxKey, array, object].some((each) => each === type);
}

function containsString(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(containsString);
  if (isDoc(value)) return Object.values(value).some(containsString);
  return canonicalType(value) === CANONICAL.string;
}
