import { navigate, useQuery, withQuery } from '../router.ts';

/** The search, filters, order and page of a list. The address holds them, so that reload and Back keep them. */
export interface ListQuery {
  search: string;
  page: number;
  /** The value of a filter, or of `sort`. */
  chosen: (name: string) => string;
  /** Changes the address; anything but a change of the page leads back to the first one. */
  change: (changes: Record<string, string | undefined>, options?: { replace?: boolean }) => void;
  isNarrowed: boolean;
  /** Shows the whole list. */
  reset: () => void;
  /** The query of the call to the API. */
  api: string;
}

/**
 * Reads the query of a list from the address. Unknown values count as absent.
 * @param values the values of each filter. Those of `sort` are a field and an order, such as `name-asc`; the first is
 * the default.
 */
export function useListQuery(values: Record<string, readonly string[]>): ListQuery {
  const query = useQuery();
  const chosen = (name: string) => {
    const value = query.get(name) ?? '';
    return values[name]?.includes(value) ? value : name === 'sort' ? (values.sort?.[0] ?? '') : '';
  };
  const search = (query.get('search') ?? '').trim().slice(0, 200);
  const page = /^[1-9]\d{0,8}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;
  const filters = Object.keys(values).filter((name) => name !== 'sort' && chosen(name));

  const [sort_by = '', order = ''] = chosen('sort').split('-');
  const api = new URLSearchParams({ page: String(page), ...(sort_by && { sort_by, order }) });
  if (search) api.set('search', search);
  for (const name of filters) api.set(name, chosen(name));
  const change: ListQuery['change'] = (changes, options) =>
    navigate(withQuery({ page: undefined, ...changes }), options);
  return {
    search,
    page,
    chosen,
    change,
    isNarrowed: search !== '' || filters.length > 0,
    reset: () => change(Object.fromEntries(['search', ...filters].map((name) => [name, undefined]))),
    api: api.toString(),
  };
}
