import { randomUUIDv7 } from 'node:crypto';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { config, oneRefused, ownWebhook, webhookId, webhooksOf } from '../contract.ts';
import { isDelivered } from '../delivery/attempt.ts';
import { deliver } from '../delivery/deliver.ts';
import { payloadOf } from '../events.ts';
import type { WebhookOptions } from '../webhooks.ts';
import { ATTEMPT_EXAMPLE, attemptRecord, presentAttempt } from './present-attempt.ts';

/** Milliseconds: the caller waits, and the gateway gives a call 15 seconds in all. */
const LIMIT = 10_000;

const schema = {
  ...webhooksOf,
  summary: 'Send a test event',
  description:
    'Sends an event `webhook.test`, signed as every delivery, at once and whatever the status of the webhook, and tells what came of it within 10 seconds. It is tried once, leaves no delivery behind, and changes nothing.',
  params: webhookId,
  response: {
    200: attemptRecord.extend({ event_id: z.string(), delivered: z.boolean() }).meta({
      description: 'What came of it',
      examples: [
        {
          event_id: 'test_01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
          delivered: true,
          ...ATTEMPT_EXAMPLE,
        },
      ],
    }),
    ...oneRefused,
  },
};

/** POST /api/v1/webhooks/{webhook_id}/test. */
export const testDelivery: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db, now, sender }) => {
  app.post('/api/v1/webhooks/:webhook_id/test', { schema, config }, async (request) => {
    const webhook = await ownWebhook(db, { ...request.params, owner_id: callerId(request) });
    const event_id = `test_${randomUUIDv7()}`;
    const { webhook_id } = webhook;
    const payload = payloadOf('webhook.test', new Date(now()).toISOString(), { webhook_id });
    const outcome = await deliver(sender, webhook, { event_id, payload }, LIMIT);
    return { event_id, delivered: isDelivered(outcome), ...presentAttempt(outcome) };
  });
};
