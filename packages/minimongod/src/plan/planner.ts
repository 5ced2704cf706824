import type { Collation } from '../bson/collation.ts';
import { badValue } from '../errors.ts';
import type { Filter } from '../language/filter.ts';
import type { SortField } from '../language/sort.ts';
import { type Index, isMultikey } from '../store/indexes.ts';
import { fieldBounds } from './bounds.ts';
import { type CountKeys, chooseScan } from './choose-scan.ts';
import { conjuncts, type FieldFilter } from './conditions.ts';
import { rangeBytes } from './interval.ts';
import { impliesPartial } from './partial-index.ts';

export type Plan =
  | Scan
  | {
      /** The branches of an $or, each in the wanted order, by the index or by sorting it. */
      readonly stage: 'SORT_MERGE';
      readonly branches: IndexScan[];
      readonly exact: false;
      readonly sorted: true;
    };

export type Scan =
  | {
      readonly stage: 'COLLSCAN';
      readonly backward: boolean;
      readonly exact: boolean;
      readonly sorted: boolean;
    }
  | IndexScan
  | { readonly stage: 'OR'; readonly branches: IndexScan[]; readonly exact: false; readonly sorted: boolean };

export interface IndexScan {
  readonly stage: 'IXSCAN';
  readonly index: Index;
  /** Half-open: start ≤ key < end, in ascending order and apart from each other. */
  readonly ranges: readonly { readonly start: Buffer; readonly end: Buffer }[];
  readonly backward: boolean;
  /** Whether the ranges hold exactly what the filter matches, so that no document need be looked at. */
  readonly exact: boolean;
  /** Whether they come in the wanted order. */
  readonly sorted: boolean;
  /** Whether they do so only when the ranges, each of which has it, are merged. */
  readonly merges: boolean;
  /** Whether it finds one document at most. */
  readonly unique: boolean;
  readonly score: number;
  /** What to read when the order turns out to be long in giving what matches. */
  readonly instead?: readonly IndexScan[];
}

export interface PlanRequest {
  readonly filter: Filter;
  readonly sort: readonly SortField[];
  readonly collation: Collation | undefined;
  /** An index name, 'COLLSCAN' for a $natural hint. */
  readonly hint?: string | undefined;
  /** How many documents are taken in that order, those that are skipped with them; 0 stands for all. */
  readonly need: number;
  readonly count: CountKeys;
  /** An $or reads the index once per branch, which makes no sense for a whole index. */
  readonly branch?: boolean;
}

/** More points than this (of several $in multiplied) and only the first field bounds the scan. */
const MAX_RANGES = 2000;
/** https://www.mongodb.com/docs/manual/reference/parameters/ internalQueryMaxScansToExplode */
const MAX_MERGED = 200;

export function choosePlan(indexes: readonly Index[], request: PlanRequest): Plan {
  const natural = request.sort[0]?.name === '$natural' ? request.sort[0] : undefined;
  const everything = request.filter.kind === 'and' && request.filter.children.length === 0;
  const collscan: Plan = {
    stage: 'COLLSCAN',
    backward: natural?.descending ?? false,
    exact: everything,
    sorted: natural !== undefined || request.sort.length === 0,
  };
  if (natural || request.hint === 'COLLSCAN') return collscan;
  const scans = indexes.flatMap((index) => {
    if (request.hint !== undefined && index.name !== request.hint) return [];
    return planIndex(index, request, request.hint !== undefined) ?? [];
  });
  if (request.hint !== undefined && !indexes.some((index) => index.name === request.hint)) {
    throw badValue(
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  }
  const choose = () => chooseScan(scans, { ...request, sorts: request.sort.length > 0 });
  if (scans.some((scan) => scan.score >= POINT)) return choose() ?? collscan;
  return planUnion(indexes, request) ?? choose() ?? collscan;
}

const POINT = 10;
const RANGE = 5;
const SORTED = 3;

function planIndex(index: Index, request: PlanRequest, hinted: boolean): IndexScan | undefined {
  const { conditions, others } = conjuncts(request.filter);
  if (index.partial && !impliesPartial(index.partial.filter, conditions, index, request.collation))
    return undefined;

  const used = new Set<FieldFilter>();
  let exact = others === 0;
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let bounded: { start: Buffer; end: Buffer }[] | undefined;
  let points = 0;
  let excludesMissing = false;
  const names = Object.keys(index.key);

  for (let i = 0; i < names.length; i++) {
    if (sharesArray(index, i)) break;
    const bounds = fieldBounds(i, conditions, index, request.collation);
    if (!bounds) break;
    if (prefixes.length * bounds.intervals.length > MAX_RANGES && i > 0) break;
    excludesMissing ||= bounds.excludesMissing;
    for (const field of bounds.used) used.add(field);
    exact &&= bounds.exact;
    const descending = index.descending[i] as boolean;
    const ranges = bounds.intervals.map((interval) => rangeBytes(interval, descending));
    if (bounds.points) {
      points++;
      prefixes = prefixes.flatMap((prefix) => ranges.map((range) => Buffer.concat([prefix, range.start])));
      continue;
    }
    bounded = prefixes.flatMap((prefix) =>
      ranges.map((range) => ({
        start: Buffer.concat([prefix, range.start]),
        end: Buffer.concat([prefix, range.end]),
      })),
    );
    break;
  }
  // a sparse index lacks the documents in which every field is missing
  if (index.sparse && !excludesMissing) return undefined;
  exact &&=
    conditions.every(({ field, decides }) => !decides || used.has(field)) &&
    conditions.every((c) => c.decides);

  const single = prefixes.every((prefix) => prefix.equals(prefixes[0] as Buffer));
  const straight = sortDirection(index, request, single ? points : 0);
  const order = straight ?? sortDirection(index, request, points);
  const walks = order !== undefined && !request.branch;
  if (points === 0 && !bounded && !walks && !index.partial && !hinted) return undefined;

  const ranges = bounded ?? prefixes.map((prefix) => ({ start: prefix, end: Buffer.concat([prefix, HIGH]) }));
  ranges.sort((a, b) => Buffer.compare(a.start, b.start));
  const distinct = ranges.filter(
    (range, i) => i === 0 || !range.start.equals((ranges[i - 1] as typeof range).start),
  );
  const merges = order !== undefined && straight === undefined;
  const sorted = order !== undefined && (!merges || distinct.length <= MAX_MERGED);
  return {
    stage: 'IXSCAN',
    index,
    ranges: distinct,
    backward: order === 'backward',
    exact,
    sorted: request.sort.length === 0 || sorted,
    merges: merges && sorted,
    unique: index.unique && points === names.length && distinct.length === 1,
    // of two alike, not the one that has several keys for a document
    score:
      points * POINT +
      (bounded ? RANGE : 0) +
      (sorted ? SORTED : 0) +
      (index.partial ? 1 : 0) +
      (index.multikey ? 0 : 0.5),
  };
}

const HIGH = Buffer.from([0xff]);

/** Two fields through one array stand together per element in the index, but a query may match them apart. */
function sharesArray(index: Index, i: number): boolean {
  const root = index.paths[i]?.[0];
  const before = index.paths.slice(0, i);
  return isMultikey(index, i) && before.some((path, j) => path[0] === root && isMultikey(index, j));
}

function planUnion(indexes: readonly Index[], request: PlanRequest): Plan | undefined {
  const or = (request.filter.kind === 'and' ? request.filter.children : [request.filter]).find(
    (child) => child.kind === 'or',
  );
  if (or?.kind !== 'or' || request.hint !== undefined) return undefined;
  const branches: IndexScan[] = [];
  for (const filter of or.children) {
    const plan = choosePlan(indexes, { ...request, filter, branch: true });
    if (plan.stage === 'COLLSCAN') return undefined;
    if (plan.stage === 'IXSCAN') branches.push(plan);
    else branches.push(...plan.branches);
  }
  const sorts = request.sort.length > 0;
  if (sorts && branches.some(({ sorted }) => sorted)) {
    return { stage: 'SORT_MERGE', branches, exact: false, sorted: true };
  }
  return { stage: 'OR', branches, exact: false, sorted: !sorts };
}

/** Whether index order after `points` fixed fields is the wanted order, and in which direction. */
function sortDirection(
  index: Index,
  { sort, collation }: PlanRequest,
  points: number,
): 'forward' | 'backward' | undefined {
  if (sort.length === 0 || index.collation || collation || index.sparse) return undefined;
  const names = Object.keys(index.key);
  // one element of an array is fixed, not what a document is sorted by
  const fixed = new Set(names.slice(0, points).filter((_, i) => !isMultikey(index, i)));
  const wanted = sort.filter((field) => !fixed.has(field.name));
  let backward: boolean | undefined;
  for (let i = 0; i < wanted.length; i++) {
    const { name, descending } = wanted[i] as SortField;
    if (names[points + i] !== name || isMultikey(index, points + i)) return undefined;
    const reversed = descending !== index.descending[points + i];
    if (backward !== undefined && backward !== reversed) return undefined;
    backward = reversed;
  }
  return backward ? 'backward' : 'forward';
}
