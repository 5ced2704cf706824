import { line, oneOf, searchText } from '@gatehouse/shared/http/fields';
import type { Collection, Document, Filter, Sort } from 'mongodb';
import { z } from 'zod';

/** What one list can be asked for, beside the parameters that all share. */
export interface ListTable {
  /** The public fields to sort by; the first is the default. */
  sortable: readonly [string, ...string[]];
  /** Fields to filter by, each with its values, or null where any id may stand. */
  filters: Record<string, readonly [string, ...string[]] | null>;
  /** What `search` means. */
  searched: (text: string) => Filter<Document>;
  /** Fields that are stored and not shown. */
  hidden?: readonly string[];
  /** A field that no two records share: it decides between equals, so that pages neither repeat nor lose one. */
  unique: string;
}

/** Records that a caller may see: those within a filter, but for some of them, no exception twice. */
export interface Visible<Item> {
  within: Filter<Item>;
  except?: Filter<Item>[];
}

/** The filter of what any of these let a caller see. */
export const anyOf = <Item>(visible: readonly Visible<Item>[]): Filter<Item> =>
  ({
    $or: visible.map(({ within, except }) => (except ? { $and: [within, { $nor: except }] } : within)),
  }) as Filter<Item>;

/** A filter of the records whose field holds a text, without regard to case. */
export const holding =
  (field: string) =>
  (text: string): Filter<Document> => ({ [field]: { $regex: literal(text), $options: 'i' } });

export interface ListQuery {
  page: number;
  limit: number;
  sort_by: string;
  order: 'asc' | 'desc';
  search?: string | undefined;
}

const MAX_LIMIT = 100;
/** Characters, more than any id of ours has. */
const MAX_ID = 200;
/** Beyond this the records to skip are no integer that JSON and BSON agree on. */
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_LIMIT);

/** A decimal integer from 1 on, spelled in the one usual way: no sign, no exponent, no leading zero. */
export function ordinal(most: number, absent: number) {
  const error = `must be an integer from 1 to ${most}`;
  return z
    .preprocess(
      (text) => (typeof text === 'string' && /^[1-9]\d*$/.test(text) ? Number(text) : text),
      z.int({ error }).min(1, { error }).max(most, { error }).meta({ default: absent }),
    )
    .default(absent);
}

/** The query of a list (spec §Gateway catalogue contract). */
export function listQuery<Table extends ListTable>({ sortable, filters }: Table) {
  const filterable = Object.entries(filters).map(([name, values]) => [
    name,
    (values ? oneOf(values) : line(MAX_ID)).optional(),
  ]);
  return queryOf({
    ...(Object.fromEntries(filterable) as { [Name in keyof Table['filters']]: z.ZodOptional<z.ZodString> }),
    page: ordinal(MAX_PAGE, 1),
    limit: ordinal(MAX_LIMIT, 20),
    sort_by: oneOf(sortable).default(sortable[0]),
    order: oneOf(['asc', 'desc']).default('desc'),
    search: searchText.optional(),
  });
}

/** Query parameters; an unknown one is refused rather than ignored. */
export const queryOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? 'holds an unknown parameter' : undefined),
  });

/** One page of a list, as it is answered. */
const pageOf = <Item extends z.ZodType>(item: Item) =>
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

/** The answer of a list, shown by an example of its items. */
export const onePage = <Item extends z.ZodType>(item: Item) =>
  pageOf(item).meta({
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
 * Reads one page: a find and the counts at once.
 * @param visible what the caller may see, in one part or more, no record twice; nothing in the query widens it. Counted apart, each
 * by its index alone, and what it leaves out taken off.
 */
export async function readPage<Item extends Document>(
  collection: Collection<Item>,
  { filters, searched, hidden = [], unique }: Omit<ListTable, 'sortable'>,
  visible: readonly Visible<Item>[],
  query: ListQuery,
) {
  const { page, limit, sort_by, order, search } = query;
  const asked: Filter<Document>[] = Object.entries(query)
    .filter(([name]) => Object.hasOwn(filters, name))
    .map(([name, value]) => ({ [name]: value }));
  if (search) asked.push(searched(search));
  const narrowed = (filter: Filter<Item>) => ({ $and: [filter, ...asked] }) as Filter<Item>;
  const wanted = visible.map(({ within, except }) => ({
    within: narrowed(within),
    ...(except && { except: except.map(narrowed) }),
  }));
  const direction = order === 'asc' ? 1 : -1;
  const sort: Sort = { [sort_by]: direction, [unique]: direction };
  const count = async ({ within, except = [] }: Visible<Item>) => {
    const [all = 0, ...out] = await Promise.all(
      [within, ...except].map((filter) => collection.countDocuments(filter)),
    );
    // Counted while others write, a part may seem to be less than what is taken off it.
    return Math.max(
      0,
      out.reduce((rest, each) => rest - each, all),
    );
  };

  const [data, ...counts] = await Promise.all([
    collection
      .find(anyOf(wanted), { sort, skip: (page - 1) * limit, limit })
      .project<Item>(Object.fromEntries(['_id', ...hidden].map((field) => [field, 0])))
      .toArray(),
    ...wanted.map(count),
  ]);
  const seen = data.length > 0 ? (page - 1) * limit + data.length : 0;
  const total_items = Math.max(
    seen,
    counts.reduce((sum, each) => sum + each, 0),
  );
  const total_pages = Math.ceil(total_items / limit);
  return {
    data,
    pagination: { page, limit, total_items, total_pages, has_next: page < total_pages, has_prev: page > 1 },
  };
}

/** A pattern that matches just `text`. Not RegExp.escape: of its escapes MongoDB's PCRE does not know \u. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
