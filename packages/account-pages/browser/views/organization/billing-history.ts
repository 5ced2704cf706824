import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDateTime, locale, texts } from '../../organization-texts.ts';
import { Badge } from '../../parts/badge.ts';
import { Pager } from '../../parts/pager.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { type BillingEntry, listBillingHistory, type Place } from './calls.ts';

const words = texts.billing;
export const PAYMENT_TONES = { paid: 'good', failed: 'bad', pending: 'quiet' } as const;

/** An amount in the smallest unit of its currency. */
function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const COLUMNS: Column<BillingEntry>[] = [
  {
    title: words.kind,
    cell: ({ kind, invoice_id }) => html`
      <div class="person"><span>${words.kinds[kind]}</span>${invoice_id && html`<small>${invoice_id}</small>`}</div>
    `,
  },
  { title: words.plan, cell: ({ subscription_plan }) => subscription_plan },
  {
    title: words.payment,
    cell: ({ payment_status }) =>
      html`<${Badge} tone=${PAYMENT_TONES[payment_status]}>${words.payments[payment_status]}<//>`,
  },
  {
    title: words.amount,
    cell: ({ amount, currency }) =>
      amount !== null && currency !== null ? formatAmount(amount, currency) : '–',
  },
  { title: texts.audit.actor, cell: ({ changed_by }) => changed_by ?? texts.audit.platform },
  { title: texts.audit.at, cell: ({ at }) => formatDateTime(at), end: true },
];

/** Every change of a department's plan, and every payment that was reported. */
export function BillingHistory({ place }: { place: Place }) {
  const [page, setPage] = useState(1);
  const loaded = useData(`${place.department_id} ${page}`, () => listBillingHistory(place, page));
  return html`
    <${Section} title=${words.history}>
      <${Table}
        label=${words.history}
        loaded=${loaded}
        columns=${COLUMNS}
        keyOf=${({ number }: BillingEntry) => String(number)}
        empty=${words.noHistory}
      />
      <${Pager} pagination=${loaded.data?.pagination} onPage=${setPage} />
    <//>
  `;
}
