import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Badge } from '../../parts/badge.ts';
import type { Result } from '../../parts/result.ts';
import { formatNumber, formatTimestamp, texts } from '../../webhook-texts.ts';
import type { Delivery } from './calls.ts';
import { DeliveryDetails } from './delivery-details.ts';

const words = texts.deliveries;
const TONES = { delivered: 'good', pending: 'quiet', failed: 'bad', cancelled: 'quiet' } as const;

/** One delivery; what was sent and received is loaded when it is opened. */
export function DeliveryItem({
  webhook,
  delivery,
  replay,
  cancel,
  result,
}: {
  webhook: string;
  delivery: Delivery;
  replay: () => Promise<string>;
  cancel: () => Promise<string>;
  result: Result;
}) {
  const [isOpen, setOpen] = useState(false);
  const { event, event_id, status, created_at, next_attempt_at, attempt_count } = delivery;
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
            <div class="actions">
              <${ActionButton} result=${result} run=${replay} label=${`${words.replay}: ${event_id}`}>${words.replay}<//>
              ${status === 'pending' && html`<${ActionButton} result=${result} run=${cancel} label=${`${words.cancel}: ${event_id}`}>${words.cancel}<//>`}
            </div>
          </div>
          ${next_attempt_at && html`<p class="muted">${words.nextAttempt(formatTimestamp(next_attempt_at))}</p>`}
          ${isOpen && html`<${DeliveryDetails} webhook=${webhook} delivery=${delivery} />`}
        </div>
      </details>
    </li>
  `;
}
