import type { Collection, Document, Filter, IndexSpecification, Sort } from 'mongodb';
import { z } from 'zod';
import { line, oneOf, searchText } from '../http/fields.ts';

/** What one list sorts, filters and searches by. */
export interface ListTable {
  /** The public fields to sort by; the first is the default. */
  sortable: readonly [string, ...string[]];
  /** Fields to filter by, each with its values; null allows any id. */
  filters: Record<string, readonly [string, ...string[]] | null>;
  /** The filter of the parameter `search`. */
  search: (text: string) => Filter<Document>;
  /** Stored fields that are not public. */
  hidden?: readonly string[];
  /** A unique field, or fields that end with one. They break ties: otherwise pages could repeat or lose records. */
  unique: string | readonly string[];
  /** Upper bound for counting; always counts past the current page. */
  maxCount?: number;
}

/** Records that the caller may see: those `within` one filter and in none of `except`, which must not overlap. */
export interface Visible<Item> {
  within: Filter<Item>;
  except?: Filter<Item>[];
}

/** Matches what is visible by any of these. */
export function anyOf<Item>(visible: readonly Visible<Item>[]): Filter<Item> {
  const parts = visible.map(({ within, except }) => (except ? { $and: [within, { $nor: except }] } : within));
  const [only] = parts;
  // A hint covers a whole $or, so a single branch is sent without $or.
  return (parts.length === 1 ? only : { $or: parts }) as Filter<Item>;
}

/** Matches records whose field contains the text, without regard to case. */
export const containsText =
  (field: string) =>
  (text: string): Filter<Document> => ({ [field]: { $regex: escapeRegex(text), $options: 'i' } });

export interface ListQuery {
  page: number;
  limit: number;
  sort_by: string;
  order: 'asc' | 'desc';
  search?: string | undefined;
}

const MAX_LIMIT = 100;
/** Characters; our ids are shorter. */
const MAX_ID_LENGTH = 200;
/** Keeps the number of records to skip a safe integer. */
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_LIMIT);

/** A decimal integer from 1 to `max`, without sign, exponent or leading zeros. */
export function positiveInteger(max: number, byDefault: number) {
  const error = `must be an integer from 1 to ${max}`;
  return z
    .preprocess(
      (text) => (typeof text === 'string' && /^[1-9]\d*$/.test(text) ? Number(text) : text),
      z.int({ error }).min(1, { error }).max(max, { error }).meta({ default: byDefault }),
    )
    .default(byDefault);
}

/** The query parameters of a list (CONTRACT.md §Lists). */
export function listQuery<Table extends Pick<ListTable, 'sortable' | 'filters'>>({
  sortable,
  filters,
}: Table) {
  const filterable = Object.entries(filters).map(([name, values]) => [
    name,
    (values ? oneOf(values) : line(MAX_ID_LENGTH)).optional(),
  ]);
  return strictQuery({
    ...(Object.fromEntries(filterable) as { [Name in keyof Table['filters']]: z.ZodOptional<z.ZodString> }),
    page: positiveInteger(MAX_PAGE, 1),
    limit: positiveInteger(MAX_LIMIT, 20),
    sort_by: oneOf(sortable).default(sortable[0]),
    order: oneOf(['asc', 'desc']).default('desc'),
    search: searchText.optional(),
  });
}

/** Query parameters; an unknown one is an error. */
export const strictQuery = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? 'holds an unknown parameter' : undefined),
  });

/** The response schema of a list, with the example of its items. */
export const pageResponse = <Item extends z.ZodType>(item: Item) =>
  z
    .object({
      data: z.array(item),
      pagination: z.object({
        page: z.int(),
        limit: z.int(),
        total_items: z.int(),
        total_pages: z.int(),
        has_next: z.boolean(),
        has_prev: z.boolean(),
      }),
    })
    .meta({
      description: 'One page',
      examples: [
        {
          data: item.meta()?.examples ?? [],
          pagination: {
            page: 1,
            limit: 20,
            total_items: 1,
            total_pages: 1,
            has_next: false,
            has_prev: false,
          },
        },
      ],
    });

/**
 * Reads one page and counts the list.
 * @param visible what the caller may see, in parts that do not overlap. Each part and each exception is counted on its
 * own, by its own index; the exceptions are subtracted.
 * @param options.hint the index to read.
 * @param options.countHint the index to count by, if it is another one.
 * @param options.limits bounds what the filter of a caller can cost; see data/time-limit.ts.
 */
export async function readPage<Item extends Document>(
  collection: Collection<Item>,
  { filters, search: searchFilter, hidden = [], unique, maxCount }: Omit<ListTable, 'sortable'>,
  visible: readonly Visible<Item>[],
  query: ListQuery,
  {
    hint,
    countHint = hint,
    limits = {},
  }: {
    hint?: IndexSpecification | undefined;
    countHint?: IndexSpecification;
    limits?: { maxTimeMS?: number };
  } = {},
) {
  const { page, limit, sort_by, order, search } = query;
  const conditions: Filter<Document>[] = Object.entries(query)
    .filter(([name]) => Object.hasOwn(filters, name))
    .map(([name, value]) => ({ [name]: value }));
  if (search) conditions.push(searchFilter(search));
  const narrowed = (filter: Filter<Item>) => ({ $and: [filter, ...conditions] }) as Filter<Item>;
  const parts = visible.map(({ within, except }) => ({
    within: narrowed(within),
    ...(except && { except: except.map(narrowed) }),
  }));
  const direction = order === 'asc' ? 1 : -1;
  const sort: Sort = Object.fromEntries([sort_by, unique].flat().map((field) => [field, direction]));
  const counting = {
    ...limits,
    ...(countHint && { hint: countHint }),
    ...(maxCount && { limit: Math.max(maxCount, page * limit + 1) }),
  };
  const count = async ({ within, except = [] }: Visible<Item>) => {
    const [all = 0, ...excluded] = await Promise.all(
      [within, ...except].map((filter) => collection.countDocuments(filter, counting)),
    );
    // Concurrent writes can make the exceptions outnumber their part.
    return Math.max(0, all - sum(excluded));
  };

  const [data, ...counts] = await Promise.all([
    collection
      .find(anyOf(parts), { sort, skip: (page - 1) * limit, limit, ...limits, ...(hint && { hint }) })
      .project<Item>(Object.fromEntries(['_id', ...hidden].map((field) => [field, 0])))
      .toArray(),
    ...parts.map(count),
  ]);
  const seen = data.length > 0 ? (page - 1) * limit + data.length : 0;
  const total_items = Math.max(seen, sum(counts));
  return { data, pagination: paginationOf(total_items, query) };
}

export function paginationOf(total_items: number, { page, limit }: Pick<ListQuery, 'page' | 'limit'>) {
  const total_pages = Math.ceil(total_items / limit);
  return { page, limit, total_items, total_pages, has_next: page < total_pages, has_prev: page > 1 };
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Escapes `text` for a pattern. Not RegExp.escape, whose \u escapes MongoDB's PCRE does not know. */
export const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
