import { useMemo, useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { Pager } from '../../parts/pager.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { INTERVAL, usePolling } from '../../parts/use-polling.ts';
import { formatDateTime, formatNumber, texts } from '../../webhook-texts.ts';
import {
  cancelDeliveries,
  cancelDelivery,
  DELIVERY_STATUSES,
  type Delivery,
  EVENTS,
  listDeliveries,
  type ReplaySelection,
  replayDelivery,
  replaySince,
  type Selection,
  type Webhook,
} from './calls.ts';
import { DeliveryItem } from './delivery-item.ts';
import { HTTP_STATUSES, httpStatusText } from './http-statuses.ts';
import { SelectionDialog } from './selection-dialog.ts';

const words = texts.deliveries;
const SORTS = ['created_at-desc', 'created_at-asc'] as const;
/** Hours. */
const PERIODS = { hour: 1, day: 24, week: 168 } as const;
const PERIOD_NAMES = Object.keys(PERIODS) as (keyof typeof PERIODS)[];

const CHOICES = [
  {
    name: 'status',
    label: texts.webhooks.status,
    options: [
      ['', words.allStatuses] as const,
      ...DELIVERY_STATUSES.map((status) => [status, words.statuses[status]] as const),
    ],
  },
  {
    name: 'event',
    label: words.event,
    options: [
      ['', words.allEvents] as const,
      ...EVENTS.map((event) => [event, texts.webhooks.eventNames[event]] as const),
    ],
  },
  {
    name: 'http_status',
    label: words.httpStatus,
    options: [
      ['', words.anyHttpStatus] as const,
      ...HTTP_STATUSES.map((status) => [status, httpStatusText(status)] as const),
    ],
  },
  {
    name: 'period',
    label: words.period,
    options: [
      ['', words.allTimes] as const,
      ...PERIOD_NAMES.map((name) => [name, words.periods[name]] as const),
    ],
  },
  { name: 'sort', label: texts.lists.sort, options: SORTS.map((sort) => [sort, words.sorts[sort]] as const) },
];

/** The deliveries of a webhook and their results. */
export function Deliveries({
  webhook,
  result,
  onRefresh,
}: {
  webhook: Webhook;
  result: Result;
  /** Renews the rest of the page. */
  onRefresh: () => void;
}) {
  const id = webhook.webhook_id;
  const query = useListQuery({
    status: DELIVERY_STATUSES,
    event: EVENTS,
    http_status: HTTP_STATUSES,
    period: PERIOD_NAMES,
    sort: SORTS,
  });
  const call = useMemo(() => withPeriod(query.api), [query.api]);
  const loaded = useData(`${id} ${webhook.status} ${call}`, () => listDeliveries(id, call));
  const [selecting, setSelecting] = useState<'replay' | 'cancel'>();
  const deliveries = loaded.data?.data ?? [];
  usePolling(loaded, webhook.status === 'active' && deliveries.some(isDueSoon));

  const replay = async ({ delivery_id }: Delivery) => {
    await changeAndReload(loaded.reload, () => replayDelivery(id, delivery_id));
    return webhook.status === 'active' ? words.replaying : words.waiting;
  };
  const cancel = async ({ delivery_id }: Delivery) => {
    await changeAndReload(loaded.reload, () => cancelDelivery(id, delivery_id));
    return words.canceled;
  };
  const change = async (selection: Selection & { since: string }, which: string) => {
    const { said, next_since } = await changeAndReload(loaded.reload, async () => {
      if (selecting === 'cancel') {
        const { cancelled, next_since } = await cancelDeliveries(id, selection);
        return { said: words.canceledMany(cancelled, formatNumber(cancelled)), next_since };
      }
      const narrowed =
        which === 'all' ? { all: true } : { status: which as NonNullable<ReplaySelection['status']> };
      const { replayed, next_since } = await replaySince(id, { ...selection, ...narrowed });
      return { said: words.replayed(replayed, formatNumber(replayed)), next_since };
    });
    setSelecting(undefined);
    result.succeed(next_since ? `${said} ${words.moreSince(formatDateTime(next_since))}` : said);
  };
  const refresh = () => {
    onRefresh();
    void loaded.reload();
  };
  const isEmpty = deliveries.length === 0 && !query.isNarrowed;
  // Every button is there from the beginning: none moves to where another one is being clicked.
  const actions = html`
    <${Button} busy=${loaded.busy && loaded.data !== undefined} onClick=${refresh}>${words.refresh}<//>
    <${Button} disabled=${isEmpty} onClick=${() => setSelecting('replay')}>${words.replayMany}<//>
    <${Button} disabled=${isEmpty} onClick=${() => setSelecting('cancel')}>${words.cancelMany}<//>
  `;
  return html`
    <${Section} title=${words.title} actions=${actions}>
      <p class="muted">${words.explanation}</p>
      <${Filters} query=${query} search=${words.search} choices=${CHOICES} />
      ${
        loaded.data
          ? html`
            ${deliveries.length === 0 && html`<div class="empty"><${EmptyList} query=${query} empty=${html`<p>${words.none}</p>`} /></div>`}
            <ul class="deliveries" aria-label=${words.title} aria-busy=${loaded.busy}>
              ${deliveries.map(
                (delivery) => html`
                  <${DeliveryItem}
                    key=${delivery.delivery_id}
                    webhook=${id}
                    delivery=${delivery}
                    replay=${() => replay(delivery)}
                    cancel=${() => cancel(delivery)}
                    result=${result}
                  />
                `,
              )}
            </ul>
          `
          : html`<${LoadFailure} loaded=${loaded} gone=${texts.webhooks.gone} />`
      }
      <${Pager} pagination=${loaded.data?.pagination} />
    <//>
    ${
      selecting &&
      html`<${SelectionDialog} kind=${selecting} webhook=${webhook} onSubmit=${change} onClose=${() => setSelecting(undefined)} />`
    }
  `;
}

/** Replaces the period of a query by the time at which it began. */
function withPeriod(query: string): string {
  const parameters = new URLSearchParams(query);
  const hours = PERIODS[parameters.get('period') as keyof typeof PERIODS];
  parameters.delete('period');
  if (hours) parameters.set('from', new Date(Date.now() - hours * 3_600_000).toISOString());
  return parameters.toString();
}

const isDueSoon = ({ next_attempt_at }: Delivery) =>
  next_attempt_at !== null && Date.parse(next_attempt_at) < Date.now() + INTERVAL;
