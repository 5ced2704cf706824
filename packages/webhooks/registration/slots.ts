import { insertInFreeSlot } from '@gatehouse/shared/durable/slot';
import type { Database } from '../database.ts';
import type { WebhookHost } from '../host.ts';
import type { Webhook } from '../records.ts';

/**
 * Stores a new webhook in a free slot of its account or tenant. The unique index on the slot enforces the limit under
 * concurrent calls.
 * @throws {AppError} forbidden if it has as many webhooks as its plan allows.
 */
export async function insertWithinLimit(
  db: Database,
  webhook: Omit<Webhook, 'slot'>,
  { limit, exceeded }: Awaited<ReturnType<WebhookHost['webhookLimit']>>,
): Promise<void> {
  const { owner_id, organization_id = null, department_id = null } = webhook;
  const holder = owner_id === null ? { owner_id, organization_id, department_id } : { owner_id };
  const freeSlot = async () => {
    const present = await db.webhooks.find(holder, { projection: { slot: 1 } }).toArray();
    // Slots above the limit stay taken after the plan was lowered.
    if (present.length >= limit) throw exceeded();
    const taken = new Set(present.map(({ slot }) => slot));
    const slots = Array.from({ length: limit }, (_, index) => slotOf(webhook, index));
    return slots.find((each) => !taken.has(each)) as Webhook['slot'];
  };
  await insertInFreeSlot(['slot'], freeSlot, (slot) => db.webhooks.insertOne({ ...webhook, slot }));
}

type Holder = Pick<Webhook, 'owner_id' | 'organization_id' | 'department_id'>;

/** The index holds the owner, which is null for every tenant, so the slot names the tenant. */
const slotOf = ({ owner_id, organization_id, department_id }: Holder, index: number): Webhook['slot'] =>
  owner_id !== null ? index : `${department_id ?? organization_id} ${index}`;
