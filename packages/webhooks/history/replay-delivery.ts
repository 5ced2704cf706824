import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { deliveryRecord, presentDelivery } from './present-delivery.ts';
import { requeue } from './requeue.ts';

export const replayDelivery = operation(
  'POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
  {
    needs: 'administration',
    summary: 'Replay a delivery',
    description:
      'Sends the same bytes again under the same `webhook-id`, whatever the status of the delivery, with a new retry window of three days. A pending delivery is sent immediately. The delivery waits while the webhook is not active. If the webhook is no longer subscribed to the event, the call returns 403.',
    returns: deliveryRecord,
    async handle({ db, host, now, retention, webhookChanged, params: { delivery_id }, request }) {
      const { webhook_id, events } = await managedWebhook({ db, host }, request);
      const delivery = { _id: delivery_id, webhook_id };
      const replayed = await db.webhookDeliveries.findOneAndUpdate(
        { ...delivery, event: { $in: events } },
        requeue(now(), retention),
        { returnDocument: 'after' },
      );
      if (!replayed) {
        const { event } = orNotFound(await db.webhookDeliveries.findOne(delivery));
        throw new AppError('forbidden', { text: `The webhook is not subscribed to ${event}` });
      }
      await webhookChanged(webhook_id, { endPause: true });
      return presentDelivery(replayed);
    },
  },
);
