import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { config, oneRefused, ownWebhook, webhookId, webhooksOf } from '../contract.ts';
import { DELIVERY_STATUSES, type Delivery } from '../records.ts';
import type { WebhookOptions } from '../webhooks.ts';
import { deliveryRecord, presentDelivery } from './present-delivery.ts';

const table = {
  // By its index alone: there may be very many.
  sortable: ['created_at'],
  filters: { status: DELIVERY_STATUSES },
  search: containsText('event_id'),
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
    200: pageResponse(deliveryRecord),
    ...oneRefused,
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
