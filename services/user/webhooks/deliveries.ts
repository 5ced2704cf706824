import { listQuery, pageOf, readPage } from '@gatehouse/shared/lists';
import { callerId } from '@gatehouse/shared/principal';
import { DELIVERY_STATUSES, type Delivery } from '@gatehouse/shared/webhooks';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { oneRefused, ownWebhook, webhookId, webhooksOf } from './contract.ts';
import { deliveryRecord, shownDelivery } from './delivery-record.ts';
import type { WebhookOptions } from './webhooks.ts';

const table = {
  // By its index alone: there may be very many.
  sortable: ['created_at'],
  filters: { status: DELIVERY_STATUSES },
  searched: 'event_id',
  unique: 'delivery_id',
} as const satisfies { sortable: readonly (keyof Delivery)[]; [part: string]: unknown };

const schema = {
  ...webhooksOf,
  summary: 'List deliveries',
  description:
    'Each with its attempts and what the receiver answered; kept 30 days. `search` looks for its text in the ids of the events.',
  params: webhookId,
  querystring: listQuery(table),
  response: {
    200: pageOf(deliveryRecord).meta({
      description: 'One page',
      examples: [
        {
          data: deliveryRecord.meta()?.examples,
          pagination: {
            page: 1,
            limit: 20,
            total_items: 1,
            total_pages: 1,
            has_next: false,
            has_prev: false,
          },
        },
      ],
    }),
    ...oneRefused,
  },
};

/** GET /api/v1/webhooks/{webhook_id}/deliveries. */
export async function listDeliveries(root: FastifyInstance, { db }: WebhookOptions): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get('/api/v1/webhooks/:webhook_id/deliveries', { schema }, async (request) => {
      const { webhook_id } = await ownWebhook(db, { ...request.params, owner_id: callerId(request) });
      const page = await readPage(db.webhookDeliveries, table, { webhook_id }, request.query);
      return { ...page, data: page.data.map(shownDelivery) };
    });
}
