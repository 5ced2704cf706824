import type { Collection, Document, Filter, Sort } from 'mongodb';
import { z } from 'zod';
import { oneOf, searchText } from './catalogue.ts';

/** What one list can be asked for, beside the parameters that all share. */
export interface ListTable {
  /** The public fields to sort by; `created_at` is the default. */
  sortable: readonly ['created_at', ...string[]];
  /** Fields to filter by, each with its values. */
  filters: Record<string, readonly [string, ...string[]]>;
  /** The field that `search` looks into. */
  searched: string;
  /** A field that no two records share: it decides between equals, so that pages neither repeat nor lose one. */
  unique: string;
}

export interface ListQuery {
  page: number;
  limit: number;
  sort_by: string;
  order: 'asc' | 'desc';
  search?: string | undefined;
}

const MAX_LIMIT = 100;
/** Beyond this the records to skip are no integer that JSON and BSON agree on. */
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_LIMIT);

/** A decimal integer from 1 on, spelled in the one usual way: no sign, no exponent, no leading zero. */
function ordinal(most: number, absent: number) {
  const error = `must be an integer from 1 to ${most}`;
  return z
    .preprocess(
      (text) => (typeof text === 'string' && /^[1-9]\d*$/.test(text) ? Number(text) : text),
      z.int({ error }).min(1, { error }).max(most, { error }).meta({ default: absent }),
    )
    .default(absent);
}

/** The query of a list (spec §Gateway catalogue contract); an unknown parameter is refused rather than ignored. */
export function listQuery({ sortable, filters }: ListTable) {
  const filterable = Object.entries(filters).map(([name, values]) => [name, oneOf(values).optional()]);
  return z.strictObject(
    {
      ...(Object.fromEntries(filterable) as Record<string, z.ZodOptional<z.ZodEnum>>),
      page: ordinal(MAX_PAGE, 1),
      limit: ordinal(MAX_LIMIT, 20),
      sort_by: oneOf(sortable).default('created_at'),
      order: oneOf(['asc', 'desc']).default('desc'),
      search: searchText.optional(),
    },
    { error: ({ code }) => (code === 'unrecognized_keys' ? 'holds an unknown parameter' : undefined) },
  );
}

/** One page of a list, as it is answered. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    pagination: z.object({
      page: z.int(),
      limit: z.int(),
      total_items: z.int(),
      total_pages: z.int(),
      has_next: z.boolean(),
      has_prev: z.boolean(),
    }),
  });

/**
 * Reads one page: a find and a count at once.
 * @param visible the filter of what the caller may see; nothing in the query widens it.
 */
export async function readPage<Item extends Document>(
  collection: Collection<Item>,
  { filters, searched, unique }: Omit<ListTable, 'sortable'>,
  visible: Filter<Item>,
  query: ListQuery,
) {
  const { page, limit, sort_by, order, search } = query;
  const asked = Object.entries(query).filter(([name]) => Object.hasOwn(filters, name));
  const conditions: Filter<Document>[] = [visible, Object.fromEntries(asked)];
  if (search) conditions.push({ [searched]: { $regex: literal(search), $options: 'i' } });
  const filter = { $and: conditions } as Filter<Item>;
  const direction = order === 'asc' ? 1 : -1;
  const sort: Sort = { [sort_by]: direction, [unique]: direction };

  const [data, total_items] = await Promise.all([
    collection
      .find(filter, { sort, skip: (page - 1) * limit, limit })
      .project<Item>({ _id: 0 })
      .toArray(),
    collection.countDocuments(filter),
  ]);
  const total_pages = Math.ceil(total_items / limit);
  return {
    data,
    pagination: { page, limit, total_items, total_pages, has_next: page < total_pages, has_prev: page > 1 },
  };
}

/** A pattern that matches just `text`. Not RegExp.escape: of its escapes MongoDB's PCRE does not know \u. */
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
