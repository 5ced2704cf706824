import { type Collation, parseCollation } from '../bson/collation.ts';
import { equalValues } from '../bson/compare.ts';
import { isNumeric } from '../bson/types.ts';
import { type Doc, isDoc, toNumber, truthy } from '../bson/value.ts';
import { badValue, CommandError, failedToParse, typeMismatch } from '../errors.ts';
import { type Filter, parseFilter } from '../language/filter.ts';

/** What createIndexes accepts; `background` is ignored, as in MongoDB. */
export const INDEX_OPTIONS = new Set(
  'key name v unique sparse partialFilterExpression expireAfterSeconds collation background'.split(' '),
);

const cannotCreate = (message: string) => new CommandError(67, message);

/** Checks an index specification and completes it with its defaults. */
export function normalizeIndexSpec(given: unknown, defaultCollation?: Collation): Doc {
  if (!isDoc(given)) throw typeMismatch("BSON field 'createIndexes.indexes' is the wrong type");
  const unknown = Object.keys(given).find((option) => !INDEX_OPTIONS.has(option));
  if (unknown !== undefined) {
    throw new CommandError(197, `The field '${unknown}' is not valid for an index specification.`);
  }
  const { key, name, unique, sparse, expireAfterSeconds, partialFilterExpression } = given;
  if (!isDoc(key)) throw failedToParse("The 'key' field is a required property of an index specification");
  checkKeyPattern(key);
  if (typeof name !== 'string' || name === '') {
    throw failedToParse("The 'name' field is a required property of an index specification");
  }
  if (Object.keys(key).join() === '_id' && name !== '_id_') {
    throw badValue("The index name '_id_' is reserved for the _id index");
  }
  const spec: Doc = { v: 2, key, name };
  if (truthy(unique)) spec.unique = true;
  if (truthy(sparse)) spec.sparse = true;
  if (expireAfterSeconds !== undefined) {
    if (!isNumeric(expireAfterSeconds) || toNumber(expireAfterSeconds) < 0) {
      throw cannotCreate("TTL index 'expireAfterSeconds' option must be within an acceptable range");
    }
    if (Object.keys(key).length > 1) {
      throw cannotCreate('TTL indexes are single-field indexes, compound indexes do not support TTL.');
    }
    spec.expireAfterSeconds = expireAfterSeconds;
  }
  if (partialFilterExpression !== undefined) {
    if (truthy(sparse)) throw cannotCreate('cannot mix "partialFilterExpression" and "sparse" options');
    checkPartialFilter(parseFilter(partialFilterExpression));
    spec.partialFilterExpression = partialFilterExpression;
  }
  const collation = given.collation === undefined ? defaultCollation : parseCollation(given.collation);
  if (collation) spec.collation = collation.spec;
  return spec;
}

function checkKeyPattern(key: Doc): void {
  const fields = Object.entries(key);
  if (fields.length === 0) throw cannotCreate('Index keys cannot be an empty object.');
  for (const [path, direction] of fields) {
    if (typeof direction === 'string') {
      throw cannotCreate(`Index type '${direction}' is not supported: the values of the key must be 1 or -1`);
    }
    if (!isNumeric(direction) || toNumber(direction) === 0 || Number.isNaN(toNumber(direction))) {
      throw cannotCreate('Values in the index key pattern must be 1 or -1');
    }
    if (path.split('.').includes('')) throw cannotCreate('Index keys cannot contain an empty field.');
    if (path.includes('$')) throw cannotCreate(`Index key contains an illegal field name: '${path}'.`);
  }
}

const PARTIAL_OPERATORS = ['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type', '$in'];

/** https://www.mongodb.com/docs/manual/core/index-partial/ */
function checkPartialFilter(filter: Filter): void {
  if (filter.kind === 'and' || filter.kind === 'or') {
    filter.children.forEach(checkPartialFilter);
    return;
  }
  const { kind } = filter;
  const supported = kind === 'field' && PARTIAL_OPERATORS.includes(filter.operator);
  if (supported && (filter.operator !== '$exists' || filter.operand)) return;
  const name = kind === 'field' ? filter.operator : `$${kind}`;
  throw cannotCreate(`Expression not supported in partial index: ${name}`);
}

/** How a requested index relates to an existing one; see MongoDB's IndexDescriptor::compareIndexOptions. */
export function compareIndexSpecs(wanted: Doc, existing: Doc): 'identical' | 'equivalent' | 'different' {
  const options = ['key', 'collation', 'partialFilterExpression', 'unique', 'sparse'];
  if (!options.every((option) => equalValues(wanted[option], existing[option]))) return 'different';
  return equalValues(wanted.expireAfterSeconds, existing.expireAfterSeconds) ? 'identical' : 'equivalent';
}
