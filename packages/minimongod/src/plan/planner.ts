import type { Collation } from '../bson/collation.ts';
import { badValue } from '../errors.ts';
import type { FieldFilter, Filter } from '../language/filter.ts';
import type { SortField } from '../language/sort.ts';
import { type Index, isMultikey } from '../store/index-keys.ts';
import { fieldBounds } from './bounds.ts';
import { chooseScan } from './choose-scan.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { pointKey, rangeOf } from './interval.ts';
import { impliesPartialFilter } from './partial-index.ts';
import type { CountKeys, IndexScan, KeyRange, Plan } from './plan.ts';

export interface PlanRequest {
  readonly filter: Filter;
  readonly sort: readonly SortField[];
  readonly collation: Collation | undefined;
  /** The name of an index, or 'COLLSCAN' for a $natural hint. */
  readonly hint?: string | undefined;
  /** How many documents will be read in order, including skipped ones; 0 means all. */
  readonly limit: number;
  readonly count: CountKeys;
  /** Set for a branch of an $or, which must not read a whole index for its order. */
  readonly branch?: boolean;
}

/** If the points of several $in multiply to more ranges than this, only the first field bounds the scan. */
const MAX_RANGES = 2000;
/** https://www.mongodb.com/docs/manual/reference/parameters/ internalQueryMaxScansToExplode */
const MAX_MERGED_RANGES = 200;

/** The weight of an equality, of a range and of the right order in a scan's score. */
const POINT = 10;
const RANGE = 5;
const SORTED = 3;

export function choosePlan(indexes: readonly Index[], request: PlanRequest): Plan {
  const { filter, sort, hint } = request;
  const natural = sort[0]?.name === '$natural' ? sort[0] : undefined;
  const collscan: Plan = {
    stage: 'COLLSCAN',
    backward: natural?.descending ?? false,
    exact: filter.kind === 'and' && filter.children.length === 0,
    sorted: natural !== undefined || sort.length === 0,
  };
  if (natural || hint === 'COLLSCAN') return collscan;
  const candidates = indexes.filter(({ name }) => hint === undefined || name === hint);
  if (hint !== undefined && candidates.length === 0) {
    throw badValue(
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  }
  const { conditions, others } = conditionsOf(filter);
  const scans: IndexScan[] = [];
  for (const index of candidates) {
    const scan = planIndex(index, request, conditions, others);
    // No plan reads less than one document.
    if (scan?.unique) return scan;
    if (scan) scans.push(scan);
  }
  const choose = () => chooseScan(scans, { ...request, sorts: sort.length > 0 });
  if (scans.some(({ score }) => score >= POINT)) return choose() ?? collscan;
  return planUnion(indexes, request) ?? choose() ?? collscan;
}

function planIndex(
  index: Index,
  request: PlanRequest,
  conditions: readonly Condition[],
  others: number,
): IndexScan | undefined {
  const { names, partial } = index;
  const unbounded = conditions.every(({ name }) => name !== names[0]);
  if (unbounded && !partial && request.sort.length === 0 && request.hint === undefined) return undefined;
  if (partial && !impliesPartialFilter(partial.filter, conditions, index, request.collation)) {
    return undefined;
  }
  const used = new Set<FieldFilter>();
  let exact = others === 0 && conditions.every(({ mustHold }) => mustHold);
  let excludesMissing = false;
  let points = 0;
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let bounded: KeyRange[] | undefined;

  for (let i = 0; i < names.length && !bounded && !sharesArray(index, i); i++) {
    const bounds = fieldBounds(i, conditions, index, request.collation);
    if (!bounds || (i > 0 && prefixes.length * bounds.intervals.length > MAX_RANGES)) break;
    excludesMissing ||= bounds.excludesMissing;
    exact &&= bounds.exact;
    for (const field of bounds.used) used.add(field);
    const descending = index.descending[i] as boolean;
    if (bounds.points) {
      points++;
      const keys = bounds.intervals.map((interval) => pointKey(interval, descending));
      prefixes =
        i === 0 ? keys : prefixes.flatMap((prefix) => keys.map((key) => Buffer.concat([prefix, key])));
    } else {
      const ranges = bounds.intervals.map((interval) => rangeOf(interval, descending));
      bounded = prefixes.flatMap((prefix) =>
        ranges.map(({ start, end }) => ({
          start: Buffer.concat([prefix, start]),
          end: Buffer.concat([prefix, end]),
        })),
      );
    }
  }
  // A sparse index lacks the documents in which every field is missing.
  if (index.sparse && !excludesMissing) return undefined;
  exact &&= conditions.every(({ field }) => used.has(field));

  const onePrefix = prefixes.every((prefix) => prefix.equals(prefixes[0] as Buffer));
  const direct = sortDirection(index, request, onePrefix ? points : 0);
  const order = direct ?? sortDirection(index, request, points);
  const forOrder = order !== undefined && !request.branch;
  if (points === 0 && !bounded && !forOrder && !partial && request.hint === undefined) return undefined;

  const ranges = distinct(
    bounded ?? prefixes.map((prefix) => ({ start: prefix, end: Buffer.concat([prefix, ABOVE_ALL]) })),
  );
  const merges = order !== undefined && direct === undefined;
  const sorted = order !== undefined && (!merges || ranges.length <= MAX_MERGED_RANGES);
  return {
    stage: 'IXSCAN',
    index,
    ranges,
    backward: order === 'backward',
    exact,
    sorted: request.sort.length === 0 || sorted,
    merges: merges && sorted,
    unique: index.unique && points === names.length && ranges.length === 1,
    score:
      points * POINT +
      (bounded ? RANGE : 0) +
      (sorted ? SORTED : 0) +
      (partial ? 1 : 0) +
      // Of two equal indexes, prefer the one with a single key per document.
      (index.multikey ? 0 : 0.5),
  };
}

const ABOVE_ALL = Buffer.from([0xff]);

function distinct(ranges: KeyRange[]): KeyRange[] {
  if (ranges.length < 2) return ranges;
  const sorted = ranges.toSorted((a, b) => Buffer.compare(a.start, b.start));
  return sorted.filter(({ start }, i) => i === 0 || !start.equals((sorted[i - 1] as KeyRange).start));
}

/** The index combines two fields of one array per element, but different elements may satisfy the two conditions. */
function sharesArray(index: Index, i: number): boolean {
  const root = index.paths[i]?.[0];
  const before = index.paths.slice(0, i);
  return isMultikey(index, i) && before.some((path, j) => path[0] === root && isMultikey(index, j));
}

/** An index scan for each branch of an $or, if every branch has one. */
function planUnion(indexes: readonly Index[], request: PlanRequest): Plan | undefined {
  const { filter, sort, hint } = request;
  const or = (filter.kind === 'and' ? filter.children : [filter]).find(({ kind }) => kind === 'or');
  if (or?.kind !== 'or' || hint !== undefined) return undefined;
  const branches: IndexScan[] = [];
  for (const child of or.children) {
    const plan = choosePlan(indexes, { ...request, filter: child, branch: true });
    if (plan.stage === 'COLLSCAN') return undefined;
    if (plan.stage === 'IXSCAN') branches.push(plan);
    else branches.push(...plan.branches);
  }
  if (sort.length > 0 && branches.some(({ sorted }) => sorted)) {
    return { stage: 'SORT_MERGE', branches, exact: false, sorted: true };
  }
  return { stage: 'OR', branches, exact: false, sorted: sort.length === 0 };
}

/** The direction in which the index, after `points` fields with fixed values, has the order of the sort. */
function sortDirection(
  index: Index,
  { sort, collation }: PlanRequest,
  points: number,
): 'forward' | 'backward' | undefined {
  if (sort.length === 0 || index.collation || collation || index.sparse) return undefined;
  const { names } = index;
  // An equality on an array fixes one element, not the value by which a document is sorted.
  const fixed = new Set(names.slice(0, points).filter((_, i) => !isMultikey(index, i)));
  const fields = sort.filter(({ name }) => !fixed.has(name));
  const matches = fields.every(({ name }, i) => names[points + i] === name && !isMultikey(index, points + i));
  const reversed = fields.map(({ descending }, i) => descending !== index.descending[points + i]);
  if (!matches || reversed.some((each) => each !== reversed[0])) return undefined;
  return reversed[0] ? 'backward' : 'forward';
}
