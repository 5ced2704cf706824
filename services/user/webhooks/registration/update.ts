import { failures, found } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  auditedWebhook,
  config,
  oneWebhookFailures,
  operation,
  ownWebhook,
  presentWebhook,
  settings,
  webhookId,
  webhookRecord,
} from '../contract.ts';
import type { WebhookOptions } from '../options.ts';

const changes = jsonBody({
  url: settings.url.exactOptional(),
  events: settings.events.exactOptional(),
  status: oneOf(['active', 'paused']).exactOptional(),
})
  .refine((fields) => Object.keys(fields).length > 0, { error: 'must contain url, events or status' })
  .meta({ examples: [{ status: 'paused' }] });

const schema = {
  ...operation,
  summary: 'Change a webhook',
  description:
    'Changes the fields in the body and no others, for every attempt that is not in flight. Deliveries of a paused webhook wait. Setting `status` to `active` sends them, also after a receiver has disabled the webhook with 410. Waiting deliveries of an event that is taken away are not sent: each becomes `failed` when its turn comes.',
  params: webhookId,
  body: changes,
  response: {
    200: webhookRecord,
    ...oneWebhookFailures,
    ...failures('catalogue', 'missingField', 'invalidFormat'),
  },
};

/** PATCH /api/v1/webhooks/{webhook_id}. */
export const updateWebhook: FastifyPluginAsyncZod<WebhookOptions> = async (
  app,
  { db, now, validateReceiverUrl, webhookChanged },
) => {
  app.patch('/api/v1/webhooks/:webhook_id', { schema, config }, async (request) => {
    const { webhook_id } = await ownWebhook(db, { ...request.params, owner_id: callerId(request) });
    const { events, ...fields } = request.body;
    if (fields.url !== undefined) await validateReceiverUrl(fields.url);
    const $set = {
      ...fields,
      ...(events && { events: [...new Set(events)] }),
      updated_at: new Date(now()),
    };
    const before = found(
      await db.webhooks.findOneAndUpdate({ webhook_id }, { $set }, { returnDocument: 'before' }),
    );
    const changed = { ...before, ...$set };
    // The receiver's Retry-After applied to the previous settings.
    await webhookChanged(webhook_id, { endHold: true });
    await audit(db, request, now(), {
      action: 'webhook.update',
      target: { webhook_id },
      before: auditedWebhook(before),
      after: auditedWebhook(changed),
    });
    return presentWebhook(changed, now());
  });
};
