import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from '../../database.ts';
import type { Webhook } from '../records.ts';

/** For one account, organization or department. */
export const MAX_WEBHOOKS = 20;

/**
 * Stores a new webhook in a free slot of its account or place. The unique index on the slot enforces the limit under
 * concurrent calls.
 * @throws {AppError} forbidden if the account or place has as many webhooks as it may.
 */
export async function insertWithinLimit(
  db: Database,
  webhook: Omit<Webhook, 'slot'>,
  limit = MAX_WEBHOOKS,
): Promise<void> {
  const { owner_id, organization_id = null, department_id = null } = webhook;
  const holder = owner_id === null ? { owner_id, organization_id, department_id } : { owner_id };
  for (;;) {
    const present = await db.webhooks.find(holder, { projection: { slot: 1 } }).toArray();
    if (present.length >= limit)
      throw new AppError('forbidden', { text: `${nameOf(webhook)} may have at most ${limit} webhooks` });
    const taken = new Set(present.map(({ slot }) => slot));
    const slots = Array.from({ length: limit }, (_, index) => slotOf(webhook, index));
    const slot = slots.find((each) => !taken.has(each)) as Webhook['slot'];
    try {
      await db.webhooks.insertOne({ ...webhook, slot });
      return;
    } catch (error) {
      if (!isDuplicateKey(error, 'slot')) throw error; // a concurrent call took the slot
    }
  }
}

type Holder = Pick<Webhook, 'owner_id' | 'organization_id' | 'department_id'>;

const nameOf = ({ owner_id, department_id = null }: Holder): string =>
  owner_id !== null ? 'An account' : department_id !== null ? 'A department' : 'An organization';

/** The index holds the owner, which is null for every place, so the slots of a place name it. */
const slotOf = ({ owner_id, organization_id, department_id }: Holder, index: number): Webhook['slot'] =>
  owner_id !== null ? index : `${department_id ?? organization_id} ${index}`;
