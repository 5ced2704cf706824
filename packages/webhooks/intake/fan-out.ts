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
  BY_PLACE,
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

const FIELDS = [
  'webhook_id',
  'owner_id',
  'organization_id',
  'department_id',
  'chatbot_ids',
  'events',
  'created_at',
] as const satisfies (keyof Webhook)[];
const PROJECTION = { _id: 0, ...Object.fromEntries(FIELDS.map((field) => [field, 1])) };
type Subscriber = Pick<Webhook, (typeof FIELDS)[number]>;
type Heard = Audience & Pick<StoredEvent, 'event'>;

/** Deliveries created by one command, so that other work can run in between. */
const PAGE = 2_000;

/**
 * The webhooks that may get deliveries of these events. Those of a paused webhook wait; a disabled
 * webhook, or one of an account that is not active or of a place that is archived, gets none. A shared webhook does
 * not depend on an account.
 */
export async function subscribersOf(
  { db, host }: Pick<IntakeOptions, 'db' | 'host'>,
  heard: readonly Heard[],
): Promise<Subscriber[]> {
  const owners = uniqueIds(heard.map(({ owner_id }) => owner_id));
  const organizations = uniqueIds(heard.flatMap(organizationsOf));
  const departments = uniqueIds(heard.map(({ department_id }) => department_id));
  const listening = {
    status: { $in: ['active' as const, 'paused' as const] },
    events: { $in: [...new Set(heard.map(({ event }) => event))] },
  };
  const own = { owner_id: { $in: owners }, ...listening };
  const shared = {
    organization_id: { $in: organizations },
    department_id: { $in: [null, ...departments] },
    ...listening,
  };
  // In the index by status and time of the queues, a webhook may move past the read and miss the event for good.
  const read = (filter: Filter<Webhook>, hint: IndexSpecification) =>
    db.webhooks.find(filter, { projection: PROJECTION, hint }).toArray();
  const webhooks = (
    await Promise.all([read(own, BY_OWNER), organizations.length > 0 ? read(shared, BY_PLACE) : []])
  ).flat();
  const places = webhooks.filter(({ owner_id }) => owner_id === null).map(tenantOf);
  const [active, isClosed] = await Promise.all([
    activeAmong(db.users, uniqueIds(webhooks.map(({ owner_id }) => owner_id))),
    host.closedAmong(places),
  ]);
  return webhooks.filter((webhook) =>
    webhook.owner_id === null ? !isClosed(tenantOf(webhook)) : active.has(webhook.owner_id),
  );
}

const organizationsOf = ({ organization_id, other_organization_ids = [] }: Audience) => [
  organization_id,
  ...other_organization_ids,
];

/** The ids that are given, each once. */
export const uniqueIds = (ids: readonly (string | null | undefined)[]): string[] =>
  [...new Set(ids)].filter((id) => typeof id === 'string');

const isSubscribed = (webhook: Subscriber, event: Heard): boolean =>
  webhook.events.includes(event.event) && hears(webhook, event);

/**
 * An account's webhook hears the events of the account, a shared one those of its department, or of its organization
 * with all departments. Chosen chatbots narrow both.
 */
function hears(webhook: Subscriber, audience: Audience): boolean {
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
  subscribers: readonly Subscriber[],
  isMeant: (subscriber: Subscriber, event: StoredEvent) => boolean = isSubscribed,
): Promise<void> {
  const at = now();
  const pairs = events.flatMap((event) =>
    subscribers
      .filter((subscriber) => isMeant(subscriber, event))
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

/** There is one delivery for each pair of webhook and event. */
const deliveryId = (webhook_id: string, { _id, accepted_at }: StoredEvent): string =>
  derivedId(accepted_at.getTime(), `${webhook_id} ${_id}`);
