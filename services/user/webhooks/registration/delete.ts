import { found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../../database.ts';
import { config, oneRefused, webhookId, webhooksOf } from '../contract.ts';
import type { WebhookOptions } from '../webhooks.ts';

const DELETED = { message: 'Webhook deleted' } as const;
/** Deliveries deleted in one call, so that others have their turn in between. */
const PAGE = 1_000;

const schema = {
  ...webhooksOf,
  summary: 'Delete a webhook',
  description: 'For good, and its deliveries with it: nothing more is sent.',
  params: webhookId,
  response: {
    200: messageResponse(DELETED.message, 'It is gone'),
    ...oneRefused,
  },
};

/** DELETE /api/v1/webhooks/{webhook_id}. */
export const deleteWebhook: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db }) => {
  app.delete('/api/v1/webhooks/:webhook_id', { schema, config }, async (request) => {
    const { webhook_id } = request.params;
    found(await db.webhooks.findOneAndDelete({ webhook_id, owner_id: callerId(request) }));
    // Without it nobody sees or sends its deliveries; what is not deleted now expires.
    deleteDeliveries(db, webhook_id).catch((error) => {
      request.log.warn({ err: error, webhook_id }, 'deliveries are left to expire');
    });
    return DELETED;
  });
};

async function deleteDeliveries(db: Database, webhook_id: string): Promise<void> {
  for (;;) {
    const page = await db.webhookDeliveries
      .find({ webhook_id }, { projection: { _id: 1 }, limit: PAGE })
      .toArray();
    if (page.length === 0) return;
    await db.webhookDeliveries.deleteMany({ _id: { $in: page.map(({ _id }) => _id) } });
  }
}
