import { found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../../database.ts';
import {
  auditedWebhook,
  config,
  managedWebhook,
  oneWebhookFailures,
  operation,
  webhookId,
} from '../contract.ts';
import type { WebhookOptions } from '../options.ts';
import { BY_TIME, placeOf } from '../records.ts';

const DELETED = { message: 'Webhook deleted' } as const;
/** Deliveries deleted in one command, so that other commands can run in between. */
const PAGE = 1_000;

const schema = {
  ...operation,
  summary: 'Delete a webhook',
  description:
    'Deletes the webhook and its deliveries permanently. At most the attempts in flight, up to 16, still arrive.',
  params: webhookId,
  response: {
    200: messageResponse(DELETED.message, 'The webhook is deleted'),
    ...oneWebhookFailures,
  },
};

/** DELETE /api/v1/webhooks/{webhook_id}. */
export const deleteWebhook: FastifyPluginAsyncZod<WebhookOptions> = async (
  app,
  { db, now, webhookChanged },
) => {
  app.delete('/api/v1/webhooks/:webhook_id', { schema, config }, async (request) => {
    const { webhook_id } = await managedWebhook(db, request);
    const deleted = found(await db.webhooks.findOneAndDelete({ webhook_id }));
    await webhookChanged(webhook_id);
    // In the background: without their webhook, deliveries are neither listed nor sent. Any left over expire.
    deleteDeliveries(db, webhook_id).catch((error) => {
      request.log.warn(
        { err: error, webhook_id },
        'cannot delete the deliveries of a deleted webhook; they expire later',
      );
    });
    await audit(db, request, now(), {
      action: 'webhook.delete',
      target: { webhook_id },
      ...placeOf(deleted),
      before: auditedWebhook(deleted),
    });
    return DELETED;
  });
};

async function deleteDeliveries(db: Database, webhook_id: string): Promise<void> {
  for (;;) {
    const page = await db.webhookDeliveries
      .find({ webhook_id }, { projection: { _id: 1 }, limit: PAGE, hint: BY_TIME })
      .toArray();
    if (page.length === 0) return;
    await db.webhookDeliveries.deleteMany({ _id: { $in: page.map(({ _id }) => _id) } });
  }
}
