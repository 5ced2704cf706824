import { insertInFreeSlot } from '@gatehouse/shared/durable/slot';
import { type Plan, QUOTAS, quotaExceeded } from '../../access/quotas.ts';
import type { Database } from '../../database.ts';
import type { Webhook } from '../records.ts';

/**
 * Stores a new webhook in a free slot of its account or place. The unique index on the slot enforces the limit under
 * concurrent calls.
 * @param plan that of the account or place.
 * @throws {AppError} forbidden if it has as many webhooks as the plan allows.
 */
export async function insertWithinLimit(
  db: Database,
  webhook: Omit<Webhook, 'slot'>,
  plan: Plan,
): Promise<void> {
  const { owner_id, organization_id = null, department_id = null } = webhook;
  const holder = owner_id === null ? { owner_id, organization_id, department_id } : { owner_id };
  const limit = QUOTAS[plan].webhooks;
  const freeSlot = async () => {
    const present = await db.webhooks.find(holder, { projection: { slot: 1 } }).toArray();
    // Slots above the limit stay taken after the plan was lowered.
    if (present.length >= limit) throw quotaExceeded('webhooks', plan, nameOf(webhook));
    const taken = new Set(present.map(({ slot }) => slot));
    const slots = Array.from({ length: limit }, (_, index) => slotOf(webhook, index));
    return slots.find((each) => !taken.has(each)) as Webhook['slot'];
  };
  await insertInFreeSlot(['slot'], freeSlot, (slot) => db.webhooks.insertOne({ ...webhook, slot }));
}

type Holder = Pick<Webhook, 'owner_id' | 'organization_id' | 'department_id'>;

const nameOf = ({ owner_id, department_id = null }: Holder): string =>
  owner_id !== null ? 'An account' : department_id !== null ? 'A department' : 'An organization';

/** The index holds the owner, which is null for every place, so the slots of a place name it. */
const slotOf = ({ owner_id, organization_id, department_id }: Holder, index: number): Webhook['slot'] =>
  owner_id !== null ? index : `${department_id ?? organization_id} ${index}`;
