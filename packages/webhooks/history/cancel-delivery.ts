import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { deliveryRecord, presentDelivery } from './present-delivery.ts';

export const cancelDelivery = operation(
  'POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/cancel',
  {
    needs: 'administration',
    summary: 'Cancel a delivery',
    description:
      'Takes a pending delivery out of the queue. An attempt that is in flight is not interrupted: the delivery becomes `delivered` if the receiver accepts it, and is not tried again if not. A canceled delivery can be replayed. A delivery that is already delivered or failed returns 403; one that is already canceled is returned unchanged.',
    returns: deliveryRecord,
    audits: ['webhook.cancel'],
    async handle({ db, host, now, webhookChanged, audit, params: { delivery_id }, request }) {
      const webhook = await managedWebhook({ db, host }, request);
      const { webhook_id, organization_id = null, department_id = null } = webhook;
      const delivery = { _id: delivery_id, webhook_id };
      const cancelled = await db.webhookDeliveries.findOneAndUpdate(
        { ...delivery, status: 'pending' },
        { $set: { status: 'cancelled', settled_at: new Date(now()) } },
        { returnDocument: 'after' },
      );
      if (!cancelled) {
        const present = orNotFound(await db.webhookDeliveries.findOne(delivery));
        if (present.status === 'cancelled') {
          // The call that canceled it may have been killed before it notified the workers.
          await webhookChanged(webhook_id, { cancelled: true });
          return presentDelivery(present);
        }
        throw new AppError('forbidden', { text: `The delivery is already ${present.status}` });
      }
      await webhookChanged(webhook_id, { cancelled: true });
      await audit('webhook.cancel', {
        target: { webhook_id },
        after: { cancelled: delivery_id },
        organization_id,
        department_id,
      });
      return presentDelivery(cancelled);
    },
  },
);
