import { tenantOf } from '@gatehouse/shared/access/tenant';
import { batched } from '@gatehouse/shared/data/batched';
import { activeAmong } from '@gatehouse/shared/identity/users';
import type { WebhookHost } from '../host.ts';
import type { Webhook } from '../records.ts';
import type { Claimed, LeaseHolder } from './lease.ts';

interface HeldWebhook {
  /** Null when the lease is lost or the webhook is not active. */
  webhook: Claimed | null;
  /** Whether the account is active or, of a shared webhook, the place is open. */
  ownerActive: boolean;
}

/**
 * Reads a webhook whose lease this worker holds. Calls that arrive together share one read, and those for the same
 * webhook get the same result.
 */
export type ReadHeldWebhook = (
  ids: Pick<Webhook, 'webhook_id' | 'owner_id' | 'organization_id' | 'department_id'>,
) => Promise<HeldWebhook>;

export function createReadHeldWebhook({
  db,
  host,
  id,
}: Pick<LeaseHolder, 'db' | 'id'> & { host: Pick<WebhookHost, 'closedAmong'> }): ReadHeldWebhook {
  /** The reads that have not begun yet. */
  const upcoming = new Map<string, Promise<HeldWebhook>>();
  const read = batched(
    async (wanted: Parameters<ReadHeldWebhook>[0][]) => {
      const ids = wanted.map(({ webhook_id }) => webhook_id);
      for (const webhook_id of ids) upcoming.delete(webhook_id);
      const [webhooks, owners, isClosed] = await Promise.all([
        db.webhooks.find({ webhook_id: { $in: ids }, lease: id, status: 'active' }).toArray(),
        activeAmong(
          db.users,
          wanted.map(({ owner_id }) => owner_id).filter((owner_id) => owner_id !== null),
        ),
        host.closedAmong(wanted.filter(({ owner_id }) => owner_id === null).map(tenantOf)),
      ]);
      const byId = new Map(webhooks.map((webhook) => [webhook.webhook_id, webhook]));
      return wanted.map(({ webhook_id, owner_id, ...place }) => ({
        webhook: byId.get(webhook_id) ?? null,
        ownerActive: owner_id === null ? !isClosed(tenantOf(place)) : owners.has(owner_id),
      }));
    },
    { maxItems: 500 },
  );
  return (ids) => {
    const reading = upcoming.get(ids.webhook_id) ?? read(ids);
    upcoming.set(ids.webhook_id, reading);
    return reading;
  };
}
