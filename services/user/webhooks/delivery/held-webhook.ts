import { activeAmong } from '@gatehouse/shared/identity/users';
import { closedAmong } from '../../access/archived.ts';
import { placeOf, type Webhook } from '../records.ts';
import { batched } from './batched.ts';
import type { Claimed, LeaseHolder } from './lease.ts';

interface HeldWebhook {
  /** Null when the lease is lost or the webhook is not active. */
  webhook: Claimed | null;
  /** Whether the account is active or, of a shared webhook, the place is open. */
  ownerActive: boolean;
}

/** Reads a webhook whose lease this worker holds. Concurrent calls share one read. */
export type ReadHeldWebhook = (
  ids: Pick<Webhook, 'webhook_id' | 'owner_id' | 'organization_id' | 'department_id'>,
) => Promise<HeldWebhook>;

export const createReadHeldWebhook = ({ db, id }: Pick<LeaseHolder, 'db' | 'id'>): ReadHeldWebhook =>
  batched(
    async (wanted) => {
      const ids = [...new Set(wanted.map(({ webhook_id }) => webhook_id))];
      const [webhooks, owners, isClosed] = await Promise.all([
        db.webhooks.find({ webhook_id: { $in: ids }, lease: id, status: 'active' }).toArray(),
        activeAmong(
          db.users,
          wanted.map(({ owner_id }) => owner_id).filter((owner_id) => owner_id !== null),
        ),
        closedAmong(db, wanted.filter(({ owner_id }) => owner_id === null).map(placeOf)),
      ]);
      const byId = new Map(webhooks.map((webhook) => [webhook.webhook_id, webhook]));
      return wanted.map(({ webhook_id, owner_id, ...place }) => ({
        webhook: byId.get(webhook_id) ?? null,
        ownerActive: owner_id === null ? !isClosed(placeOf(place)) : owners.has(owner_id),
      }));
    },
    { maxItems: 500 },
  );
