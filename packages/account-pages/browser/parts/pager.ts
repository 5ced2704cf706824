import { html } from '../html.ts';
import { navigate, withQuery } from '../router.ts';
import { formatNumber, texts } from '../texts.ts';
import { Button } from './button.ts';

/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  pagination: Pagination;
}

export interface Pagination {
  page: number;
  limit: number;
  total_items: number;
  total_pages: number;
}

const showPage = (page: number) => navigate(withQuery({ page: String(page) }));

/** Previous and next page of a list, by default in the page's address; nothing while it has one page. */
export const Pager = ({
  pagination,
  onPage = showPage,
}: {
  pagination?: Pagination | undefined;
  onPage?: (page: number) => void;
}) => {
  const { page = 1, total_pages = 1, total_items = 0 } = pagination ?? {};
  return total_pages <= 1
    ? null
    : html`
        <nav class="pager" aria-label=${texts.table.pages}>
          <${Button} disabled=${page <= 1} onClick=${() => onPage(page - 1)}>${texts.table.previous}<//>
          <p aria-live="polite">${texts.table.position(formatNumber(page), formatNumber(total_pages), formatNumber(total_items))}</p>
          <${Button} disabled=${page >= total_pages} onClick=${() => onPage(page + 1)}>${texts.table.next}<//>
        </nav>
      `;
};
