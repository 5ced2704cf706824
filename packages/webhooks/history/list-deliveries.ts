import { oneOf } from '@gatehouse/shared/http/fields';
import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { z } from 'zod';
import { DELIVERY_STATUSES, type Delivery } from '../delivery-records.ts';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { deliveryRecord, presentDelivery } from './present-delivery.ts';
import { eventFilter, httpStatusFilter, selectDeliveries, since, until } from './select-deliveries.ts';

const table = {
  // Only the indexed order, because a webhook may have millions of deliveries.
  sortable: ['created_at'],
  filters: {},
  search: containsText('event_id'),
  hidden: ['payload', 'exchanges'],
  // `seq` keeps the order of events that were published together.
  unique: ['seq', 'delivery_id'],
  maxCount: 1_000,
} as const satisfies { sortable: readonly (keyof Delivery)[]; [part: string]: unknown };

const parameters = listQuery(table).extend({
  event: eventFilter.optional(),
  status: oneOf(DELIVERY_STATUSES).optional(),
  http_status: z
    .preprocess((text) => (/^\d{3}$/.test(String(text)) ? Number(text) : text), httpStatusFilter)
    .optional(),
  from: since.optional(),
  to: until.optional(),
});

export const listDeliveries = operation('GET /api/v1/webhooks/{webhook_id}/deliveries', {
  needs: 'administration',
  summary: 'List deliveries',
  description: `Lists deliveries in the order of their creation, with their latest attempts and the beginning of each response. Deliveries are counted only up to 1,000, or to the first one after the page: a larger \`total_items\` is a lower bound, \`has_next\` is always exact. Deliveries are kept for the retention time, by default 30 days. \`search\` matches any part of the event id; unlike the filters, it reads every delivery.`,
  query: parameters,
  returns: pageResponse(deliveryRecord),
  async handle({ db, host, query, request }) {
    const { webhook_id } = await managedWebhook({ db, host }, request);
    const { event, status, http_status, from, to } = query;
    const { filter, hint } = selectDeliveries(webhook_id, {
      events: event && [event],
      statuses: status && [status],
      http_status,
      since: from === undefined ? undefined : new Date(from),
      until: to === undefined ? undefined : new Date(to),
    });
    const page = await readPage(db.webhookDeliveries, table, [{ within: filter }], query, { hint });
    return { ...page, data: page.data.map(presentDelivery) };
  },
});
