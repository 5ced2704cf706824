import { type Collation, parseCollation } from '../bson/collation.ts';
import { equalValues } from '../bson/compare.ts';
import { toNumber } from '../bson/decimal.ts';
import { encodeKey } from '../bson/key.ts';
import { EMPTY_ARRAY, extractKeys, leafValue, ParallelArrays } from '../bson/path.ts';
import { isNumeric } from '../bson/types.ts';
import { type Doc, isDoc } from '../bson/value.ts';
import { CommandError, typeMismatch } from '../errors.ts';
import { type Filter, parseFilter, truthy } from '../language/filter.ts';
import { compileFilter, type Predicate } from '../language/match.ts';

export interface Index {
  readonly id: number;
  readonly name: string;
  /** The key pattern, such as { email: 1 }. */
  readonly key: Doc;
  readonly paths: readonly (readonly string[])[];
  /** The top-level fields that decide on a document's keys, those of the partial filter among them. */
  readonly fields: readonly string[];
  readonly descending: readonly boolean[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly expireAfterSeconds: number | undefined;
  readonly collation: Collation | undefined;
  readonly partial: { readonly filter: Filter; readonly test: Predicate } | undefined;
  /** As listIndexes shows it. */
  readonly spec: Doc;
  /**
   * Bit i: a document once had an array on field i's path, so that two bounds on it may be met by two elements and
   * its order is not that of a sort.
   */
  multikey: number;
}

export interface IndexKey {
  readonly bytes: Buffer;
  /** The values behind the bytes, for the message of a duplicate. */
  readonly values: readonly unknown[];
}

const OPTIONS = new Set([
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'collation',
  'background',
  'hidden',
  'v',
  'ns',
]);

/** Validates what createIndexes was given and spells its defaults out. */
export function normalizeIndexSpec(given: unknown, defaultCollation?: Collation): Doc {
  if (!isDoc(given)) throw typeMismatch("BSON field 'createIndexes.indexes' is the wrong type");
  for (const option of Object.keys(given)) {
    if (!OPTIONS.has(option)) {
      throw new CommandError(197, `The field '${option}' is not valid for an index specification.`);
    }
  }
  const { key, name } = given;
  if (!isDoc(key))
    throw new CommandError(9, "The 'key' field is a required property of an index specification");
  const fields = Object.entries(key);
  if (fields.length === 0) throw new CommandError(67, 'Index keys cannot be an empty object.');
  for (const [path, direction] of fields) {
    if (!isNumeric(direction) || toNumber(direction) === 0 || Number.isNaN(toNumber(direction))) {
      const kind = typeof direction === 'string' ? `Index type '${direction}'` : 'This index key value';
      throw new CommandError(67, `${kind} is not supported here; values in the key must be 1 or -1.`);
    }
    if (path === '' || path.split('.').includes('')) {
      throw new CommandError(67, 'Index keys cannot contain an empty field.');
    }
    if (path.includes('$'))
      throw new CommandError(67, `Index key contains an illegal field name: '${path}'.`);
  }
  if (typeof name !== 'string' || name === '') {
    throw new CommandError(9, "The 'name' field is a required property of an index specification");
  }
  if (truthy(given.hidden)) throw new CommandError(67, 'Hidden indexes are not supported here.');
  const isIdIndex = fields.length === 1 && fields[0]?.[0] === '_id';
  if (isIdIndex && name !== '_id_') {
    throw new CommandError(2, "The index name '_id_' is reserved for the _id index");
  }
  const spec: Doc = { v: 2, key, name };
  if (truthy(given.unique)) spec.unique = true;
  if (truthy(given.sparse)) spec.sparse = true;
  if (given.expireAfterSeconds !== undefined) {
    const seconds = given.expireAfterSeconds;
    if (!isNumeric(seconds) || toNumber(seconds) < 0) {
      throw new CommandError(67, "TTL index 'expireAfterSeconds' option must be within an acceptable range");
    }
    if (fields.length > 1) {
      throw new CommandError(
        67,
        'TTL indexes are single-field indexes, compound indexes do not support TTL.',
      );
    }
    spec.expireAfterSeconds = seconds;
  }
  if (given.partialFilterExpression !== undefined) {
    if (truthy(given.sparse)) {
      throw new CommandError(67, 'cannot mix "partialFilterExpression" and "sparse" options');
    }
    checkPartialFilter(parseFilter(given.partialFilterExpression));
    spec.partialFilterExpression = given.partialFilterExpression;
  }
  const collation = given.collation === undefined ? defaultCollation : parseCollation(given.collation);
  if (collation) spec.collation = collation.spec;
  return spec;
}

/** https://www.mongodb.com/docs/manual/core/index-partial/ names the operators that a partial filter may use. */
function checkPartialFilter(filter: Filter): void {
  if (filter.kind === 'and' || filter.kind === 'or') filter.children.forEach(checkPartialFilter);
  else if (
    filter.kind !== 'field' ||
    !['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type', '$in'].includes(filter.operator) ||
    (filter.operator === '$exists' && !filter.operand)
  ) {
    const name = filter.kind === 'field' ? filter.operator : `$${filter.kind}`;
    throw new CommandError(67, `Expression not supported in partial index: ${name}`);
  }
}

export function openIndex(id: number, spec: Doc, multikey: number): Index {
  const key = spec.key as Doc;
  const names = Object.keys(key);
  const collation = parseCollation(spec.collation);
  const partialFilter = spec.partialFilterExpression;
  let partial: Index['partial'];
  if (partialFilter !== undefined) {
    const filter = parseFilter(partialFilter);
    partial = { filter, test: compileFilter(filter, { collation }) };
  }
  const paths = names.map((name) => name.split('.'));
  return {
    id,
    name: spec.name as string,
    key,
    paths,
    fields: [
      ...new Set([...paths, ...(partial ? filterPaths(partial.filter) : [])].map(([root]) => root as string)),
    ],
    descending: names.map((name) => toNumber(key[name]) < 0),
    unique: spec.unique === true || names.join() === '_id',
    sparse: spec.sparse === true,
    expireAfterSeconds: spec.expireAfterSeconds === undefined ? undefined : toNumber(spec.expireAfterSeconds),
    collation,
    partial,
    spec,
    multikey,
  };
}

/** Of the filters that a partial index may have. */
function filterPaths(filter: Filter): (readonly string[])[] {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.children.flatMap(filterPaths);
  return filter.kind === 'field' && filter.path ? [filter.path] : [];
}

export function isMultikey(index: Index, field: number): boolean {
  return (index.multikey & (1 << field)) !== 0;
}

/** The keys that a document has in an index, none twice; notes on the index where it had arrays. */
export function indexKeys(index: Index, doc: Doc): IndexKey[] {
  if (index.partial && !index.partial.test(doc)) return [];
  const { keys, multikey } = extract(index, doc);
  index.multikey |= multikey;
  const found = new Map<string, IndexKey>();
  for (const raw of keys) {
    if (index.sparse && raw.every((value) => value === undefined)) continue;
    const values = raw.map(leafValue).map((value) => (value === undefined ? null : value));
    const stored = values.map((value) => (value === EMPTY_ARRAY ? undefined : value));
    const bytes = encodeKey(stored, index.descending, index.collation);
    if (keys.length === 1) return [{ bytes, values }];
    found.set(bytes.toString('latin1'), { bytes, values });
  }
  return [...found.values()];
}

function extract(index: Index, doc: Doc) {
  try {
    return extractKeys(doc, index.paths);
  } catch (error) {
    if (!(error instanceof ParallelArrays)) throw error;
    const names = Object.keys(index.key);
    throw new CommandError(171, `cannot index parallel arrays [${names[1]}] [${names[0]}]`);
  }
}

/** How a wanted index relates to one that exists, as IndexDescriptor::compareIndexOptions decides it. */
export function compareIndexSpecs(wanted: Doc, existing: Doc): 'identical' | 'equivalent' | 'different' {
  const same = (option: string) => equalValues(wanted[option], existing[option]);
  const sameKey =
    equalValues(wanted.key, existing.key) &&
    Object.keys(wanted.key as Doc).join('\0') === Object.keys(existing.key as Doc).join('\0');
  if (
    !sameKey ||
    !same('collation') ||
    !same('partialFilterExpression') ||
    !same('unique') ||
    !same('sparse')
  ) {
    return 'different';
  }
  return same('expireAfterSeconds') ? 'identical' : 'equivalent';
}
