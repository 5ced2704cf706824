import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { config, oneWebhookFailures, operation, ownWebhook, webhookId } from '../contract.ts';
import type { WebhookOptions } from '../options.ts';
import { DELIVERY_STATUSES, type Delivery } from '../records.ts';
import { deliveryRecord, presentDelivery } from './present-delivery.ts';

const table = {
  // There may be very many deliveries, so only the indexed order is offered.
  sortable: ['created_at'],
  filters: { status: DELIVERY_STATUSES },
  search: containsText('event_id'),
  // `seq` keeps the order of events that were published together.
  unique: ['seq', 'delivery_id'],
} as const satisfies { sortable: readonly (keyof Delivery)[]; [part: string]: unknown };

const schema = {
  ...operation,
  summary: 'List deliveries',
  description:
    'Lists deliveries by creation, events published together in their order, with their latest attempts and what the receiver answered. Deliveries are kept for 30 days. `search` matches any part of the event id.',
  params: webhookId,
  querystring: listQuery(table),
  response: {
    200: pageResponse(deliveryRecord),
    ...oneWebhookFailures,
  },
};

/** GET /api/v1/webhooks/{webhook_id}/deliveries. */
export const listDeliveries: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db }) => {
  app.get('/api/v1/webhooks/:webhook_id/deliveries', { schema, config }, async (request) => {
    const { webhook_id } = await ownWebhook(db, { ...request.params, owner_id: callerId(request) });
    const page = await readPage(db.webhookDeliveries, table, [{ within: { webhook_id } }], request.query);
    return { ...page, data: page.data.map(presentDelivery) };
  });
};
