import { html } from '../../html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Form } from '../../parts/form.ts';
import { Select } from '../../parts/select.ts';
import { texts } from '../../webhook-texts.ts';
import { EVENTS, type EventName, type Webhook } from './calls.ts';

const words = texts.webhooks;

/** Asks for the event of which a sample is sent. */
export const SampleDialog = ({
  webhook,
  onSend,
  onClose,
}: {
  webhook: Webhook;
  onSend: (event: EventName) => Promise<void>;
  onClose: () => void;
}) => html`
  <${Dialog} title=${words.sample} onClose=${onClose}>
    <p>${words.sampleHint}</p>
    <${Form} submit=${words.sample} onSubmit=${({ event }: Record<string, string>) => onSend(event as EventName)}>
      <${Select}
        name="event"
        label=${texts.deliveries.event}
        value=${webhook.events[0]}
        options=${EVENTS.map((event) => [event, words.eventNames[event]])}
      />
    <//>
  <//>
`;
