import { tenantOf } from '@gatehouse/shared/access/tenant';
import { bounded } from '@gatehouse/shared/data/bounded';
import { duplicatePositions } from '@gatehouse/shared/data/bulk-errors';
import { derivedId } from '@gatehouse/shared/derived-id';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { Filter, IndexSpecification } from 'mongodb';
import type { Database } from '../database.ts';
import type { Wake } from '../delivery/wake.ts';
import type { Delivery } from '../delivery-records.ts';
import type { WebhookHost } from '../host.ts';
import {
  type Audience,
  BY_OWNER,
  BY_TENANT,
  DEFAULT_RETENTION,
  type StoredEvent,
  type Webhook,
} from '../records.ts';

export interface IntakeOptions {
  db: Database;
  host: Pick<WebhookHost, 'closedAmong'>;
  now: () => number;
  /** Milliseconds for which events and deliveries are kept. */
  retention?: number;
  deliveriesAdded: Wake['deliveriesAdded'];
}

type EventToRoute = Audience & Pick<StoredEvent, 'event'>;

/**
 * Deliveries in one command. While 500 events for 20 webhooks are published (row `webhooks` of the benchmark), the
 * slowest other call takes 0.7 s; with one command for all 10,000 deliveries, 1.9 s.
 */
const PAGE = 2_000;

/**
 * The webhooks that may receive these events: active and paused ones, whose account is active or, for shared webhooks,
 * whose tenant is open.
 */
export async function subscribersOf(
  { db, host }: Pick<IntakeOptions, 'db' | 'host'>,
  events: readonly EventToRoute[],
): Promise<Webhook[]> {
  const owners = uniqueIds(events.map(({ owner_id }) => owner_id));
  const organizations = uniqueIds(events.flatMap(organizationsOf));
  const departments = uniqueIds(events.map(({ department_id }) => department_id));
  const listening = {
    status: { $in: ['active' as const, 'paused' as const] },
    events: { $in: [...new Set(events.map(({ event }) => event))] },
  };
  const own = { owner_id: { $in: owners }, ...listening };
  const shared = {
    organization_id: { $in: organizations },
    department_id: { $in: [null, ...departments] },
    ...listening,
  };
  // Hints on indexes whose keys no delivery changes: in another index, a webhook could move during the read and be missed.
  const read = (filter: Filter<Webhook>, hint: IndexSpecification) =>
    db.webhooks.find(filter, { hint }).toArray();
  const webhooks = (
    await Promise.all([read(own, BY_OWNER), organizations.length > 0 ? read(shared, BY_TENANT) : []])
  ).flat();
  const tenants = webhooks.filter(({ owner_id }) => owner_id === null).map(tenantOf);
  const [active, isClosed] = await Promise.all([
    activeAmong(db.users, uniqueIds(webhooks.map(({ owner_id }) => owner_id))),
    host.closedAmong(tenants),
  ]);
  return webhooks.filter((webhook) =>
    webhook.owner_id === null ? !isClosed(tenantOf(webhook)) : active.has(webhook.owner_id),
  );
}

const organizationsOf = ({ organization_id, other_organization_ids = [] }: Audience) => [
  organization_id,
  ...other_organization_ids,
];

/** The distinct ids, without null and undefined. */
export const uniqueIds = (ids: readonly (string | null | undefined)[]): string[] =>
  [...new Set(ids)].filter((id) => typeof id === 'string');

const isSubscribed = (webhook: Webhook, event: EventToRoute): boolean =>
  webhook.events.includes(event.event) && isAudience(webhook, event);

/**
 * The webhook of an account receives the events of the account; a shared one those of its department, or of its
 * organization and all departments. `chatbot_ids` narrows both.
 */
function isAudience(webhook: Webhook, audience: Audience): boolean {
  const { owner_id, organization_id = null, department_id = null, chatbot_ids = [] } = webhook;
  if (chatbot_ids.length > 0 && !(audience.chatbot_id && chatbot_ids.includes(audience.chatbot_id)))
    return false;
  if (owner_id !== null) return owner_id === audience.owner_id;
  if (department_id !== null) return department_id === audience.department_id;
  return organization_id !== null && organizationsOf(audience).includes(organization_id);
}

let seq = 0;

/** Creates the deliveries of stored events and wakes their queues. Leaves existing deliveries as they are. */
export async function fanOut(
  { db, now, retention = DEFAULT_RETENTION, deliveriesAdded }: IntakeOptions,
  events: readonly StoredEvent[],
  subscribers: readonly Webhook[],
  shouldReceive: (subscriber: Webhook, event: StoredEvent) => boolean = isSubscribed,
): Promise<void> {
  const at = now();
  const pairs = events.flatMap((event) =>
    subscribers
      .filter((subscriber) => shouldReceive(subscriber, event))
      .map(({ webhook_id }) => ({ event, webhook_id })),
  );
  if (pairs.length === 0) return;
  for (let from = 0; from < pairs.length; from += PAGE) {
    const deliveries = pairs
      .slice(from, from + PAGE)
      .map(({ event, webhook_id }) => deliveryOf(event, webhook_id, { at, retention }));
    await bounded(db.webhookDeliveries.insertMany(deliveries, { ordered: false }).catch(duplicatePositions));
  }
  await bounded(deliveriesAdded([...new Set(pairs.map(({ webhook_id }) => webhook_id))]));
}

/** Creates deliveries that an interrupted intake left out, except for webhooks configured after the event. */
export async function completeFanOut(options: IntakeOptions, events: readonly StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  const subscribers = await bounded(subscribersOf(options, events));
  await fanOut(
    options,
    events,
    subscribers,
    (subscriber, event) => subscriber.created_at <= event.accepted_at && isSubscribed(subscriber, event),
  );
}

function deliveryOf(
  stored: StoredEvent,
  webhook_id: string,
  { at, retention }: { at: number; retention: number },
): Delivery {
  const { _id: event_id, event, payload } = stored;
  const delivery_id = deliveryId(webhook_id, stored);
  seq += 1;
  return {
    _id: delivery_id,
    delivery_id,
    webhook_id,
    event_id,
    event,
    payload,
    status: 'pending',
    created_at: new Date(at),
    seq,
    due: new Date(at),
    attempt_count: 0,
    failures: 0,
    attempts: [],
    gives_up_at: null,
    settled_at: null,
    expires_at: new Date(at + retention),
  };
}

const deliveryId = (webhook_id: string, { _id, accepted_at }: StoredEvent): string =>
  derivedId(accepted_at.getTime(), `${webhook_id} ${_id}`);
