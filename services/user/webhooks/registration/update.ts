import { failures, found } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  config,
  described,
  oneRefused,
  presentWebhook,
  webhookId,
  webhookRecord,
  webhooksOf,
} from '../contract.ts';
import { wake } from '../delivery/lease.ts';
import type { WebhookOptions } from '../webhooks.ts';

const changes = jsonBody({
  url: described.url.exactOptional(),
  events: described.events.exactOptional(),
  status: oneOf(['active', 'paused']).exactOptional(),
})
  .refine((fields) => Object.keys(fields).length > 0, { error: 'must contain url, events or status' })
  .meta({ examples: [{ status: 'paused' }] });

const schema = {
  ...webhooksOf,
  summary: 'Change a webhook',
  description:
    'Changes the fields that the body holds and no others. While a webhook is paused its deliveries wait; active again, also after a receiver disabled it by 410, it goes on with what waits.',
  params: webhookId,
  body: changes,
  response: { 200: webhookRecord, ...oneRefused, ...failures('catalogue', 'missingField', 'invalidFormat') },
};

/** PATCH /api/v1/webhooks/{webhook_id}. */
export const updateWebhook: FastifyPluginAsyncZod<WebhookOptions> = async (
  app,
  { db, now, validateReceiverUrl, kick },
) => {
  app.patch('/api/v1/webhooks/:webhook_id', { schema, config }, async (request) => {
    const own = { ...request.params, owner_id: callerId(request) };
    const { events, ...fields } = request.body;
    if (fields.url !== undefined) await validateReceiverUrl(fields.url);
    const changed = found(
      await db.webhooks.findOneAndUpdate(
        own,
        {
          $set: {
            ...fields,
            ...(events && { events: [...new Set(events)] }),
            updated_at: new Date(now()),
            // What the receiver asked for was asked of what it was before.
            held_until: null,
          },
        },
        { returnDocument: 'after' },
      ),
    );
    await wake(db, [changed.webhook_id], now());
    kick([changed.webhook_id]);
    return presentWebhook(changed, now());
  });
};
