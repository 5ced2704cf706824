import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { useData } from '../../parts/use-data.ts';
import { type Delivery, getDelivery } from './calls.ts';

const words = texts.deliveries;

/** What is sent, indented. Lists of deliveries lack it. */
export function Payload({ webhook, delivery }: { webhook: string; delivery: Delivery }) {
  const loaded = useData(delivery.delivery_id, () => getDelivery(webhook, delivery.delivery_id));
  if (!loaded.data) return html`<${LoadFailure} loaded=${loaded} gone=${words.gone} />`;
  return html`
    <div class="attempt">
      <p>${words.payload}</p>
      <pre tabindex="0" aria-label=${words.payload}>${indented(loaded.data.payload)}</pre>
    </div>
  `;
}

const indented = (json: string) => JSON.stringify(JSON.parse(json), null, 2);
