import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Button } from './button.ts';
import { EnrollmentLink } from './enrollment-link.ts';
import { Notice } from './notice.ts';
import type { Loaded } from './use-data.ts';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Whether the column holds numbers or buttons, which stand at the right. */
  end?: boolean;
}

interface Props<Row> {
  /** Names the table for screen readers. */
  label: string;
  loaded: Loaded<{ data: Row[] }>;
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  /** What to show when there are no rows. */
  empty: ComponentChildren;
}

/** A list of records. On a narrow screen each row becomes a card. */
export function Table<Row>({
  label,
  loaded: { data, error, busy, reload },
  columns,
  keyOf,
  empty,
}: Props<Row>) {
  if (error && !data) {
    return html`
      <${Notice} kind="error" requestId=${error.requestId}>${error.message}<//>
      <${EnrollmentLink} error=${error} />
      <${Button} onClick=${reload}>${texts.table.retry}<//>
    `;
  }
  if (!data) return html`<div class="skeleton" role="status" aria-label=${texts.table.loading}></div>`;
  if (data.data.length === 0) return html`<div class="empty" aria-busy=${busy}>${empty}</div>`;
  return html`
    ${error && html`<${Notice} kind="error">${error.message}<//>`}
    <div class="table" aria-busy=${busy}>
      <table aria-label=${label}>
        <thead>
          <tr>
            ${columns.map(({ title, end }) => html`<th scope="col" class=${end ? 'end' : ''}>${title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${data.data.map(
            (row) => html`
              <tr key=${keyOf(row)}>
                ${columns.map(
                  ({ title, cell, end }) =>
                    html`<td class=${end ? 'end' : ''} data-title=${title}><div>${cell(row)}</div></td>`,
                )}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}
