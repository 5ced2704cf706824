import { type Collation, parseCollation } from '../bson/collation.ts';
import { encodeKey } from '../bson/key.ts';
import { EMPTY_ARRAY, extractKeys } from '../bson/paths.ts';
import { type Doc, toNumber } from '../bson/value.ts';
import { type Filter, parseFilter } from '../language/filter.ts';
import { compileFilter, type Predicate } from '../language/match.ts';

export interface Index {
  readonly id: number;
  readonly name: string;
  /** The key pattern, such as { email: 1 }. */
  readonly key: Doc;
  /** The fields of the key pattern. */
  readonly names: readonly string[];
  readonly paths: readonly (readonly string[])[];
  /** The top-level fields that determine a document's keys, including those of the partial filter. */
  readonly fields: readonly string[];
  readonly descending: readonly boolean[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly expireAfterSeconds: number | undefined;
  readonly collation: Collation | undefined;
  readonly partial: { readonly filter: Filter; readonly test: Predicate } | undefined;
  /** As listIndexes reports it. */
  readonly spec: Doc;
  /**
   * Bit i is set once a document had an array on field i's path. Then two elements may satisfy two bounds on the
   * field, and the order of the index is not the order of a sort.
   */
  multikey: number;
}

export interface IndexKey {
  readonly bytes: Buffer;
  /** The encoded values, for the message of a duplicate key. */
  readonly values: readonly unknown[];
}

export function openIndex(id: number, spec: Doc, multikey: number): Index {
  const key = spec.key as Doc;
  const names = Object.keys(key);
  const paths = names.map((name) => name.split('.'));
  const collation = parseCollation(spec.collation);
  const filter =
    spec.partialFilterExpression === undefined ? undefined : parseFilter(spec.partialFilterExpression);
  const determining = [...paths, ...(filter ? filterPaths(filter) : [])];
  return {
    id,
    name: spec.name as string,
    key,
    names,
    paths,
    fields: [...new Set(determining.map(([root]) => root as string))],
    descending: names.map((name) => toNumber(key[name]) < 0),
    unique: spec.unique === true || names.join() === '_id',
    sparse: spec.sparse === true,
    expireAfterSeconds: spec.expireAfterSeconds === undefined ? undefined : toNumber(spec.expireAfterSeconds),
    collation,
    partial: filter && { filter, test: compileFilter(filter, { collation }) },
    spec,
    multikey,
  };
}

function filterPaths(filter: Filter): (readonly string[])[] {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.children.flatMap(filterPaths);
  return filter.kind === 'field' && filter.path ? [filter.path] : [];
}

export function isMultikey(index: Index, field: number): boolean {
  return (index.multikey & (1 << field)) !== 0;
}

/** The distinct keys of a document in an index. Records in the index which fields held arrays. */
export function indexKeys(index: Index, doc: Doc): IndexKey[] {
  if (index.partial && !index.partial.test(doc)) return [];
  const { keys, multikey } = extractKeys(doc, index.paths);
  index.multikey |= multikey;
  const indexed = index.sparse ? keys.filter((key) => key.some((value) => value !== undefined)) : keys;
  const encoded = indexed.map((key) => encodeIndexKey(index, key));
  if (encoded.length === 1) return encoded;
  return [...new Map(encoded.map((key) => [key.bytes.toString('latin1'), key])).values()];
}

function encodeIndexKey(index: Index, key: readonly unknown[]): IndexKey {
  const values = key.map((value) => (value === undefined ? null : value));
  const encodable = values.includes(EMPTY_ARRAY)
    ? values.map((value) => (value === EMPTY_ARRAY ? undefined : value))
    : values;
  return { bytes: encodeKey(encodable, index.descending, index.collation), values };
}
