import { found } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { config, oneRefused, ownWebhook, webhooksOf } from '../contract.ts';
import { wakeNow } from '../delivery/lease.ts';
import type { WebhookOptions } from '../webhooks.ts';
import { deliveryRecord, presentDelivery } from './present-delivery.ts';
import { requeue } from './requeue.ts';

const schema = {
  ...webhooksOf,
  summary: 'Replay a delivery',
  description:
    'Sends the same bytes under the same `webhook-id` again, whatever came of them before, with three days of retries from now on. One that waits is tried at once; that of a webhook which is not active waits until it is.',
  params: z.object({ webhook_id: z.string(), delivery_id: z.string() }),
  response: { 200: deliveryRecord, ...oneRefused },
};

/** POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay. */
export const replayDelivery: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db, now, kick }) => {
  app.post(
    '/api/v1/webhooks/:webhook_id/deliveries/:delivery_id/replay',
    { schema, config },
    async (request) => {
      const { delivery_id, ...own } = request.params;
      const { webhook_id } = await ownWebhook(db, { ...own, owner_id: callerId(request) });
      const replayed = found(
        await db.webhookDeliveries.findOneAndUpdate({ _id: delivery_id, webhook_id }, requeue(now()), {
          returnDocument: 'after',
        }),
      );
      await wakeNow(db, webhook_id, now());
      kick([webhook_id]);
      return presentDelivery(replayed);
    },
  );
};
