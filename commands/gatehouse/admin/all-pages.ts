import type { AdminApi } from './api.ts';

/** Reads every page of a list. @param query of the list, without its page and limit. */
export async function allPages<Entry>(
  api: AdminApi,
  path: string,
  query: Record<string, string> = {},
): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let page = 1, more = true; more; page += 1) {
    const search = new URLSearchParams({ ...query, page: String(page), limit: '100' });
    const { data, pagination } = (await api.call('GET', `${path}?${search}`)) as {
      data: Entry[];
      pagination: { has_next: boolean };
    };
    all.push(...data);
    more = pagination.has_next;
  }
  return all;
}
