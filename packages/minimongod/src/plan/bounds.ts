import type { Collation } from '../bson/collation.ts';
import { toNumber } from '../bson/decimal.ts';
import { TAG, tagOf } from '../bson/tag.ts';
import { isDoc } from '../bson/value.ts';
import { isRegex } from '../language/filter.ts';
import { regexPrefix, regexValue } from '../language/regex.ts';
import { type Index, isMultikey } from '../store/indexes.ts';
import type { Condition, FieldFilter } from './conditions.ts';
import { type Bound, type Interval, point, prefixInterval, typeInterval } from './interval.ts';

export interface FieldBounds {
  intervals: Interval[];
  points: boolean;
  exact: boolean;
  excludesMissing: boolean;
  used: FieldFilter[];
}

export function fieldBounds(
  position: number,
  conditions: readonly Condition[],
  index: Index,
  collation: Collation | undefined,
): FieldBounds | undefined {
  const name = Object.keys(index.key)[position];
  const multikey = isMultikey(index, position);
  const mine = conditions.filter((condition) => condition.name === name);
  let best: FieldBounds | undefined;
  for (const { field } of mine) {
    const bounds = pointBounds(field, multikey, index, collation);
    if (bounds && (!best || bounds.intervals.length < best.intervals.length)) best = bounds;
  }
  if (best) return best;
  for (const { field } of mine) {
    const bounds = prefixBounds(field, index);
    if (bounds) return bounds;
  }
  let lower: Bound | undefined;
  let upper: Bound | undefined;
  const used: FieldFilter[] = [];
  for (const { field } of mine) {
    if (!/^\$[gl]te?$/.test(field.operator) || !rangeable(field.operand, index, collation)) continue;
    // on a multikey field two bounds may be met by two elements
    if (multikey && used.length > 0) continue;
    const bound: Bound = { value: field.operand, inclusive: field.operator.endsWith('e') };
    if (field.operator.startsWith('$gt')) {
      if (lower) continue;
      lower = bound;
    } else {
      if (upper) continue;
      upper = bound;
    }
    used.push(field);
  }
  const bound = lower ?? upper;
  if (!bound) return undefined;
  if (lower && upper && tagOf(lower.value) !== tagOf(upper.value)) {
    upper = undefined;
    used.splice(0, used.length, ...used.filter((field) => field.operand === lower?.value));
  }
  return {
    intervals: [typeInterval(tagOf(bound.value), lower, upper)],
    points: false,
    // NaN lies below every number in the index, but is not less than any
    exact: tagOf(bound.value) !== TAG.number || lower !== undefined,
    excludesMissing: true,
    used,
  };
}

function pointBounds(
  field: FieldFilter,
  multikey: boolean,
  index: Index,
  collation: Collation | undefined,
): FieldBounds | undefined {
  let values: unknown[];
  if (field.operator === '$eq') values = [field.operand];
  else if (field.operator === '$in') values = field.operand as unknown[];
  else if (field.operator === '$exists' && field.operand === false) values = [null];
  else return undefined;
  if (!values.every((value) => !isRegex(value) && comparable(value, index, collation))) return undefined;
  const points = values.flatMap((value) => (Array.isArray(value) ? [value[0], value] : [value]));
  const nullish = values.some((value) => value === null || value === undefined);
  return {
    intervals: points.map((value) => point(value, index.collation)),
    points: true,
    exact: field.operator !== '$exists' && !values.some(Array.isArray) && !(nullish && multikey),
    excludesMissing: !nullish,
    used: [field],
  };
}

/** An anchored pattern finds the strings that begin so, and by equality the same pattern held as a value. */
function prefixBounds(field: FieldFilter, index: Index): FieldBounds | undefined {
  if (field.operator !== '$regex' || index.collation) return undefined;
  const [pattern, options] = field.operand as [unknown, string];
  const prefix = regexPrefix(pattern, options);
  if (!prefix) return undefined;
  return {
    intervals: [prefixInterval(prefix.text), point(regexValue(pattern, options), undefined)],
    points: false,
    exact: prefix.whole,
    excludesMissing: true,
    used: [field],
  };
}

/** Whether an index's keys and the query mean the same by equality: same collation, or no string in question. */
function comparable(value: unknown, index: Index, collation: Collation | undefined): boolean {
  return index.collation === collation || !holdsText(value);
}

/** Folded keys are not in the collation's order, so they bound no range. */
function rangeable(value: unknown, index: Index, collation: Collation | undefined): boolean {
  const tag = tagOf(value);
  if (tag === TAG.null || tag === TAG.undefined || tag === TAG.minKey || tag === TAG.maxKey) return false;
  if (tag === TAG.array || tag === TAG.object) return false;
  if (tag === TAG.number && Number.isNaN(toNumber(value))) return false;
  return tag !== TAG.string || (index.collation === undefined && collation === undefined);
}

function holdsText(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsText);
  if (isDoc(value)) return Object.values(value).some(holdsText);
  return tagOf(value) === TAG.string;
}
