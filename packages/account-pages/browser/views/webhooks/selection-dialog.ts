import { html } from '../../html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Field } from '../../parts/field.ts';
import { Form } from '../../parts/form.ts';
import { Select } from '../../parts/select.ts';
import { texts } from '../../webhook-texts.ts';
import { EVENTS, type Selection, type Webhook } from './calls.ts';
import { HTTP_STATUSES, httpStatusText } from './http-statuses.ts';

const words = texts.deliveries;
const DAY = 86_400_000;

const REPLAYABLE = ['failed', 'cancelled', 'delivered', 'all'] as const;

/** Asks which deliveries to replay or to cancel. */
export const SelectionDialog = ({
  kind,
  webhook,
  onSubmit,
  onClose,
}: {
  kind: 'replay' | 'cancel';
  webhook: Webhook;
  /** @param which the status of the deliveries to replay, or `all` for failed and delivered ones. */
  onSubmit: (selection: Selection & { since: string }, which: string) => Promise<void>;
  onClose: () => void;
}) => {
  const submit = ({
    since = '',
    until = '',
    event = '',
    http_status = '',
    which = '',
  }: Record<string, string>) =>
    onSubmit(
      {
        since: new Date(since).toISOString(),
        ...(until && { until: new Date(until).toISOString() }),
        ...(event && { event: event as Webhook['events'][number] }),
        ...(http_status && { http_status: http_status === 'none' ? http_status : Number(http_status) }),
      },
      which,
    );
  const events = EVENTS.filter((event) => webhook.events.includes(event));
  const isReplay = kind === 'replay';
  return html`
    <${Dialog} title=${isReplay ? words.replayMany : words.cancelMany} onClose=${onClose}>
      <p>${isReplay ? words.replayHint : words.cancelHint}</p>
      <${Form} kind=${isReplay ? 'primary' : 'danger'} submit=${isReplay ? texts.actions.replayDeliveries : texts.actions.stopDeliveries} onSubmit=${submit}>
        ${isReplay && html`<${Select} name="which" label=${words.which} options=${REPLAYABLE.map((each) => [each, words.replayable[each]])} />`}
        <div class="pair">
          <${Field} name="since" type="datetime-local" label=${words.since} defaultValue=${localTime(Date.now() - (isReplay ? DAY : 3 * DAY))} />
          <${Field} name="until" type="datetime-local" label=${words.until} hint=${words.untilHint} required=${false} />
        </div>
        <${Select} name="event" label=${words.event} options=${[['', words.allEvents], ...events.map((event) => [event, texts.webhooks.eventNames[event]])]} />
        <${Select} name="http_status" label=${words.httpStatus} options=${[['', words.anyHttpStatus], ...HTTP_STATUSES.map((status) => [status, httpStatusText(status)])]} />
      <//>
    <//>
  `;
};

/** A time as the value of a `datetime-local` field. */
const localTime = (time: number) => {
  const date = new Date(time);
  date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
  return date.toISOString().slice(0, 16);
};
