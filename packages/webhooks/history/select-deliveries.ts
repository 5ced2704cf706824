import { expecting, isoDateTime, oneOf } from '@gatehouse/shared/http/fields';
import type { Filter, IndexSpecification } from 'mongodb';
import { z } from 'zod';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus, NO_RESPONSE } from '../delivery-records.ts';
import { EVENT_NAMES, type EventName } from '../events.ts';
import { BY_HTTP_STATUS, BY_STATUS } from '../records.ts';

const HTTP_STATUS = expecting('must be an HTTP status from 100 to 599, or none');

/** The filters of the list, the replay and the cancellation. */
export const eventFilter = oneOf(EVENT_NAMES);
export const httpStatusFilter = z
  .union(
    [z.int(HTTP_STATUS).min(100, HTTP_STATUS).max(599, HTTP_STATUS), z.literal('none', HTTP_STATUS)],
    HTTP_STATUS,
  )
  .meta({ description: 'The status of the latest response; `none` if there was no response' });
export const since = isoDateTime.meta({ description: 'Created at this time or later' });
export const until = isoDateTime.meta({ description: 'Created before this time' });

interface Selection {
  statuses?: readonly DeliveryStatus[] | undefined;
  events?: readonly EventName[] | undefined;
  http_status?: number | 'none' | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/**
 * A filter for deliveries of a webhook, and the index that holds them in the order of the history. The index begins with
 * status and event, so a filter that is not given lists all values: the database merges the ranges and reads only
 * deliveries that it returns.
 */
export function selectDeliveries(
  webhook_id: string,
  { statuses, events, http_status, since, until }: Selection,
): { filter: Filter<Delivery>; hint?: IndexSpecification } {
  const created_at = { ...(since && { $gte: since }), ...(until && { $lt: until }) };
  const created = { webhook_id, ...((since || until) && { created_at }) };
  if (!statuses && !events && http_status === undefined) return { filter: created };
  const filter = {
    ...created,
    status: { $in: statuses ?? DELIVERY_STATUSES },
    event: { $in: events ?? EVENT_NAMES },
  };
  if (http_status === undefined) return { filter, hint: BY_STATUS };
  const latest = http_status === 'none' ? NO_RESPONSE : http_status;
  return { filter: { ...filter, http_status: latest }, hint: BY_HTTP_STATUS };
}
