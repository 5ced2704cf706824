import { html } from '../../html.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { useData } from '../../parts/use-data.ts';
import { formatNumber, texts } from '../../webhook-texts.ts';
import { AttemptView } from './attempt.ts';
import { type Delivery, getDelivery } from './calls.ts';

const words = texts.deliveries;

/** What is sent, indented, and the attempts, the latest first. */
export function DeliveryDetails({ webhook, delivery }: { webhook: string; delivery: Delivery }) {
  const { delivery_id, attempt_count, status } = delivery;
  const loaded = useData(`${delivery_id} ${attempt_count} ${status}`, () =>
    getDelivery(webhook, delivery_id),
  );
  if (!loaded.data) return html`<${LoadFailure} loaded=${loaded} gone=${words.gone} />`;
  const { payload, attempts } = loaded.data;
  return html`
    <div class="attempt">
      <p>${words.payload}</p>
      <pre tabindex="0" aria-label=${words.payload}>${indented(payload)}</pre>
    </div>
    ${attempts.length < attempt_count && html`<p class="muted">${words.latest(attempts.length, formatNumber(attempts.length))}</p>`}
    ${attempts.toReversed().map((attempt) => html`<${AttemptView} key=${attempt.at} attempt=${attempt} />`)}
  `;
}

const indented = (json: string) => JSON.stringify(JSON.parse(json), null, 2);
