import { useEffect, useState } from 'preact/hooks';
import { formatDateTime, formatNumber, formatTimestamp, texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Field } from '../../parts/field.ts';
import { EmptyList, Filters } from '../../parts/filters.ts';
import { Form } from '../../parts/form.ts';
import { useListQuery } from '../../parts/list-query.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { Pager } from '../../parts/pager.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { changeAndReload, type Loaded, useData } from '../../parts/use-data.ts';
import { AttemptView } from './attempt.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  listDeliveries,
  replayDelivery,
  replaySince,
  type Webhook,
} from './calls.ts';
import { Payload } from './payload.ts';

const words = texts.deliveries;
const TONES = { delivered: 'good', pending: 'quiet', failed: 'bad', cancelled: 'quiet' } as const;
const SORTS = ['created_at-desc', 'created_at-asc'] as const;
const DAY = 86_400_000;

const CHOICES = [
  {
    name: 'status',
    label: texts.webhooks.status,
    options: [
      ['', words.allStatuses] as const,
      ...DELIVERY_STATUSES.map((status) => [status, words.statuses[status]] as const),
    ],
  },
  { name: 'sort', label: texts.lists.sort, options: SORTS.map((sort) => [sort, words.sorts[sort]] as const) },
];

/** What a webhook was sent, and what came of it. */
export function Deliveries({ webhook, result }: { webhook: Webhook; result: Result }) {
  const id = webhook.webhook_id;
  const query = useListQuery({ status: DELIVERY_STATUSES, sort: SORTS });
  const loaded = useData(`${id} ${webhook.status} ${query.api}`, () => listDeliveries(id, query.api));
  const [isReplaying, setReplaying] = useState(false);
  const deliveries = loaded.data?.data ?? [];
  usePolling(loaded, webhook.status === 'active' && deliveries.some(isDueSoon));

  const replay = async (delivery: Delivery) => {
    await changeAndReload(loaded.reload, () => replayDelivery(id, delivery.delivery_id));
    return webhook.status === 'active' ? words.replaying : words.waiting;
  };
  const replayMany = async ({ since = '', all }: Record<string, string>) => {
    const { replayed, next_since } = await changeAndReload(loaded.reload, () =>
      replaySince(id, new Date(since).toISOString(), all === 'on'),
    );
    setReplaying(false);
    const more = next_since ? ` ${words.moreSince(formatDateTime(next_since))}` : '';
    result.succeed(words.replayed(replayed, formatNumber(replayed)) + more);
  };
  const actions = html`
    <${Button} busy=${loaded.busy && loaded.data !== undefined} onClick=${loaded.reload}>${words.refresh}<//>
    ${deliveries.length > 0 && html`<${Button} onClick=${() => setReplaying(true)}>${words.replayMany}<//>`}
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
              ${deliveries.map((delivery) => html`<${DeliveryItem} key=${delivery.delivery_id} webhook=${id} delivery=${delivery} replay=${() => replay(delivery)} result=${result} />`)}
            </ul>
          `
          : html`<${LoadFailure} loaded=${loaded} gone=${texts.webhooks.gone} />`
      }
      <${Pager} pagination=${loaded.data?.pagination} />
    <//>
    ${
      isReplaying &&
      html`
        <${Dialog} title=${words.replayMany} onClose=${() => setReplaying(false)}>
          <p>${words.replayHint}</p>
          <${Form} submit=${words.replay} onSubmit=${replayMany}>
            <${Field} name="since" type="datetime-local" label=${words.since} defaultValue=${localTime(Date.now() - DAY)} />
            <label class="check"><input type="checkbox" name="all" /><span>${words.replayAll}</span></label>
          <//>
        <//>
      `
    }
  `;
}

function DeliveryItem({
  webhook,
  delivery,
  replay,
  result,
}: {
  webhook: string;
  delivery: Delivery;
  replay: () => Promise<string>;
  result: Result;
}) {
  const [isOpen, setOpen] = useState(false);
  const { event, event_id, status, created_at, next_attempt_at, attempt_count, attempts } = delivery;
  return html`
    <li>
      <details onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
        <summary>
          <span class="what">${texts.webhooks.eventNames[event] ?? event}</span>
          <${Badge} tone=${TONES[status]}>${words.statuses[status]}<//>
          <span class="muted">${words.attemptCount(attempt_count, formatNumber(attempt_count))}</span>
          <time class="muted" datetime=${created_at}>${formatTimestamp(created_at)}</time>
        </summary>
        <div class="delivery">
          <div class="row">
            <p class="muted">${words.eventId} <code>${event_id}</code></p>
            <${ActionButton} result=${result} run=${replay} label=${`${words.replay}: ${event_id}`}>${words.replay}<//>
          </div>
          ${next_attempt_at && html`<p class="muted">${words.nextAttempt(formatTimestamp(next_attempt_at))}</p>`}
          ${isOpen && html`<${Payload} webhook=${webhook} delivery=${delivery} />`}
          ${attempts.length < attempt_count && html`<p class="muted">${words.latest(formatNumber(attempts.length))}</p>`}
          ${attempts.toReversed().map((attempt) => html`<${AttemptView} key=${attempt.at} attempt=${attempt} />`)}
        </div>
      </details>
    </li>
  `;
}

/** Milliseconds between two looks at deliveries that are under way, and how many looks at most. */
const INTERVAL = 4_000;
const MAX_LOOKS = 15;

const isDueSoon = ({ next_attempt_at }: Delivery) =>
  next_attempt_at !== null && Date.parse(next_attempt_at) < Date.now() + INTERVAL;

/** Loads the deliveries again while some are under way and the page is seen. */
function usePolling(loaded: Loaded<unknown>, isUnderWay: boolean): void {
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    if (!isUnderWay) setLooks(0);
    if (!isUnderWay || looks >= MAX_LOOKS) return;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      if (document.visibilityState === 'visible') void loaded.reload();
    }, INTERVAL);
    return () => clearTimeout(timer);
  }, [isUnderWay, looks]);
}

/** A time as the value of a `datetime-local` field. */
const localTime = (time: number) => {
  const date = new Date(time);
  date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
  return date.toISOString().slice(0, 16);
};
