import { found } from '@gatehouse/shared/errors';
import { callerId } from '@gatehouse/shared/principal';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { wakeNow } from '../delivery/lease.ts';
import { config, oneRefused, ownWebhook, webhooksOf } from './contract.ts';
import { deliveryRecord, shownDelivery } from './delivery-record.ts';
import { sentAgain } from './sent-again.ts';
import type { WebhookOptions } from './webhooks.ts';

const schema = {
  ...webhooksOf,
  summary: 'Replay a delivery',
  description:
    'Sends the same bytes under the same `webhook-id` again, whatever came of them before, with three days of retries from now on. One that waits is tried at once; that of a webhook which is not active waits until it is.',
  params: z.object({ webhook_id: z.string(), delivery_id: z.string() }),
  response: { 200: deliveryRecord, ...oneRefused },
};

/** POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay. */
export async function replayDelivery(
  root: FastifyInstance,
  { db, now, kick }: WebhookOptions,
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .post(
      '/api/v1/webhooks/:webhook_id/deliveries/:delivery_id/replay',
      { schema, config },
      async (request) => {
        const { delivery_id, ...own } = request.params;
        const { webhook_id } = await ownWebhook(db, { ...own, owner_id: callerId(request) });
        const replayed = found(
          await db.webhookDeliveries.findOneAndUpdate({ _id: delivery_id, webhook_id }, sentAgain(now()), {
            returnDocument: 'after',
          }),
        );
        await wakeNow(db, webhook_id, now());
        kick([webhook_id]);
        return shownDelivery(replayed);
      },
    );
}
