import { randomUUIDv7 } from 'node:crypto';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { deliver, openTarget } from '../delivery/deliver.ts';
import { isDelivered } from '../delivery/send.ts';
import { operation } from '../dependencies.ts';
import { EVENT_NAMES, EVENTS, payloadOf } from '../events.ts';
import { EXCHANGE_EXAMPLE, exchangeRecord, presentAttempt } from '../history/present-attempt.ts';
import { managedWebhook } from '../managed.ts';

export const sendTestEvent = operation('POST /api/v1/webhooks/{webhook_id}/test', {
  needs: 'administration',
  summary: 'Send a test event',
  description:
    'Sends one signed event `webhook.test`, or the documented example of the event in the body, whether or not the webhook is active and subscribed to it, and returns the outcome within 10 seconds. The event is not retried or listed, and does not change the webhook. Its `webhook-id` begins with `test_`.',
  body: jsonBody({ event: oneOf(EVENT_NAMES).exactOptional() })
    .nullable()
    .meta({ examples: [{ event: 'session.created' }, {}] }),
  returns: exchangeRecord.extend({ event_id: z.string(), delivered: z.boolean() }).meta({
    description: 'The outcome of the attempt',
    examples: [
      {
        event_id: 'test_01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        delivered: true,
        ...EXCHANGE_EXAMPLE,
      },
    ],
  }),
  async handle({ db, host, now, sender, testTimeout, body, request }) {
    const webhook = await managedWebhook({ db, host }, request);
    const event_id = `test_${randomUUIDv7()}`;
    const { webhook_id } = webhook;
    const event = body?.event;
    const data = event ? EVENTS[event].example : { webhook_id };
    const payload = payloadOf(event ?? 'webhook.test', new Date(now()).toISOString(), data);
    const target = openTarget(sender, webhook);
    const outcome = await deliver(sender, target, { event_id, payload }, testTimeout);
    const { request_headers } = outcome;
    return { event_id, delivered: isDelivered(outcome), ...presentAttempt(outcome), request_headers };
  },
});
