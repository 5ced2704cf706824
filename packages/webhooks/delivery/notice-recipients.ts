import { tenantOf } from '@gatehouse/shared/access/tenant';
import { HOUR } from '@gatehouse/shared/data/hourly-budget';
import { spend } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Database } from '../database.ts';
import type { WebhookHost } from '../host.ts';
import type { DisabledWebhook, Webhook } from '../records.ts';

/** Mails for one webhook. */
const MAX_RECIPIENTS = 20;
/** Mails a day to one person about the webhooks of one account or organization. */
const PER_RECIPIENT = 10;

/**
 * Returns the owners to notify of a disabled webhook. Owners over their mail budget are left out, because a webhook can be
 * activated and disabled repeatedly. @param now Unix milliseconds.
 */
export async function recipientsOf(
  { db, host }: { db: Database; host: WebhookHost },
  webhook: DisabledWebhook,
  now: number,
): Promise<string[]> {
  const { webhook_id, owner_id, organization_id, notice } = webhook;
  const owners = await ownersOf(host, webhook);
  const use = { id: `${webhook_id} ${notice.at.getTime()}`, at: Math.floor(now / 1000) };
  const spent = await Promise.all(
    owners.map(async (user_id) => {
      const key = `disabled webhooks ${owner_id ?? organization_id} ${user_id}`;
      try {
        await spend(db, { key, limit: PER_RECIPIENT, seconds: 24 * HOUR }, use);
        return false;
      } catch (error) {
        if (error instanceof AppError && error.reason === 'rateLimited') return true;
        throw error;
      }
    }),
  );
  return owners.filter((_, index) => !spent[index]);
}

/** The owner of the webhook, or the Owners of its organization and department. */
async function ownersOf(host: WebhookHost, webhook: Webhook): Promise<string[]> {
  if (webhook.owner_id !== null) return [webhook.owner_id];
  const { organization_id, department_id } = tenantOf(webhook);
  return organization_id === null ? [] : host.ownersOf({ organization_id, department_id }, MAX_RECIPIENTS);
}
