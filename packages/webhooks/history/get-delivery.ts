import { orNotFound } from '@gatehouse/shared/http/errors';
import { z } from 'zod';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { EXCHANGE_EXAMPLE, exchangeRecord, presentExchange } from './present-attempt.ts';
import { DELIVERY_EXAMPLE, deliveryRecord, presentDelivery } from './present-delivery.ts';

const payloadExample = {
  event: 'conversation.started',
  timestamp: '2026-01-15T09:30:00.000Z',
  data: {
    conversation_id: 'conversation-8421',
    chatbot_id: 'chatbot-7',
    user_id: 'user-3',
    started_at: '2026-01-15T09:30:00.000Z',
  },
};

export const getDelivery = operation('GET /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}', {
  needs: 'administration',
  summary: 'Read a delivery',
  description:
    'Returns the delivery with its payload and its latest attempts. The last three include the request headers and up to 4 KiB of the response body. Deliveries are kept for the retention time, by default 30 days.',
  returns: deliveryRecord
    .extend({
      payload: z
        .string()
        .meta({ description: 'The exact JSON text of the request body, the same on every attempt' }),
      attempts: z.array(exchangeRecord).meta({ description: 'The latest 20, oldest first' }),
    })
    .meta({
      description: 'The delivery and its payload',
      examples: [
        {
          ...DELIVERY_EXAMPLE,
          payload: JSON.stringify(payloadExample),
          attempts: [EXCHANGE_EXAMPLE],
        },
      ],
    }),
  async handle({ db, host, params: { delivery_id }, request }) {
    const { webhook_id } = await managedWebhook({ db, host }, request);
    const delivery = orNotFound(await db.webhookDeliveries.findOne({ _id: delivery_id, webhook_id }));
    const { payload, attempts, exchanges = [] } = delivery;
    // Only the latest attempts have an exchange.
    const older = attempts.length - exchanges.length;
    return {
      ...presentDelivery(delivery),
      payload,
      attempts: attempts.map((attempt, index) => presentExchange(attempt, exchanges[index - older])),
    };
  },
});
