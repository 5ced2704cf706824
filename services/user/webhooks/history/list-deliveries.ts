import { oneOf } from '@gatehouse/shared/http/fields';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { config, managedWebhook, oneWebhookFailures, operation, webhookId } from '../contract.ts';
import type { WebhookOptions } from '../options.ts';
import { DELIVERY_STATUSES, type Delivery } from '../records.ts';
import { deliveryRecord, presentDelivery } from './present-delivery.ts';
import { eventFilter, httpStatusFilter, selectDeliveries, since, until } from './select-deliveries.ts';

const table = {
  // There may be very many deliveries, so only the indexed order is offered.
  sortable: ['created_at'],
  filters: {},
  search: containsText('event_id'),
  hidden: ['payload', 'exchanges'],
  // `seq` keeps the order of events that were published together.
  unique: ['seq', 'delivery_id'],
  maxCount: 1_000,
} as const satisfies { sortable: readonly (keyof Delivery)[]; [part: string]: unknown };

const querystring = listQuery(table).extend({
  event: eventFilter.optional(),
  status: oneOf(DELIVERY_STATUSES).optional(),
  http_status: z
    .preprocess((text) => (/^\d{3}$/.test(String(text)) ? Number(text) : text), httpStatusFilter)
    .optional(),
  from: since.optional(),
  to: until.optional(),
});

const schema = {
  ...operation,
  summary: 'List deliveries',
  description: `Lists deliveries by creation, events published together in their order, with their latest attempts and the beginning of what the receiver answered. A page of very many deliveries costs what a page of few costs, so they are counted up to 1,000 or just past the page: a \`total_items\` above that is not exact, \`has_next\` always is. Deliveries are kept for the retention time, by default 30 days. \`search\` matches any part of the event id; unlike the filters, it reads them all.`,
  params: webhookId,
  querystring,
  response: {
    200: pageResponse(deliveryRecord),
    ...oneWebhookFailures,
  },
};

/** GET /api/v1/webhooks/{webhook_id}/deliveries. */
export const listDeliveries: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db }) => {
  app.get('/api/v1/webhooks/:webhook_id/deliveries', { schema, config }, async (request) => {
    const { webhook_id } = await managedWebhook(db, request);
    const { event, status, http_status, from, to } = request.query;
    const { filter, hint } = selectDeliveries(webhook_id, {
      events: event && [event],
      statuses: status && [status],
      http_status,
      since: from === undefined ? undefined : new Date(from),
      until: to === undefined ? undefined : new Date(to),
    });
    const page = await readPage(db.webhookDeliveries, table, [{ within: filter }], request.query, { hint });
    return { ...page, data: page.data.map(presentDelivery) };
  });
};
