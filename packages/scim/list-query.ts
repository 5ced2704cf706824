import { invalidValue, ScimError } from './errors.ts';
import { type Filter, parseFilter } from './filter/parse.ts';
import { isObject, type Json } from './schemas.ts';

const MAX_COUNT = 500;
const DEFAULT_COUNT = 100;
/** A bound that no connection reaches. */
const MAX_INDEX = 100_000_000;

/** The parameters of a list (RFC 7644 §3.4.2). */
export interface ScimListQuery {
  filter: Filter | undefined;
  /** In lower case. */
  sortBy: string | undefined;
  order: 1 | -1;
  /** The number of resources before the page. */
  skip: number;
  count: number;
}

/** Reads the parameters of a list, from the address or from the body of a search. @throws {ScimError} */
export function readListQuery(given: Json): ScimListQuery {
  const filter = text(given, 'filter');
  const order = text(given, 'sortOrder')?.toLowerCase() ?? 'ascending';
  if (order !== 'ascending' && order !== 'descending')
    throw invalidValue('sortOrder must be ascending or descending');
  return {
    filter: filter === undefined ? undefined : parseFilter(filter),
    sortBy: text(given, 'sortBy')?.toLowerCase(),
    order: order === 'ascending' ? 1 : -1,
    skip: Math.min(Math.max(integer(given, 'startIndex') ?? 1, 1), MAX_INDEX) - 1,
    count: Math.min(Math.max(integer(given, 'count') ?? DEFAULT_COUNT, 0), MAX_COUNT),
  };
}

function text(given: Json, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalidValue(`${name} must be given once`);
  return value;
}

function integer(given: Json, name: string): number | undefined {
  const value = given[name];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw invalidValue(`${name} must be a whole number`);
  return number as number;
}

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export const listResponse = (
  totalResults: number,
  { skip }: Pick<ScimListQuery, 'skip'>,
  Resources: Json[],
) => ({
  schemas: [LIST_SCHEMA],
  totalResults,
  startIndex: skip + 1,
  itemsPerPage: Resources.length,
  Resources,
});

export const SEARCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';

export function readSearch(body: unknown): Json {
  if (isObject(body)) return body;
  throw new ScimError(400, 'The body must be a JSON object', 'invalidSyntax');
}
