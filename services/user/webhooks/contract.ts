import { BEARER_FAILURES, failures, found } from '@gatehouse/shared/http/errors';
import { expecting, oneOf } from '@gatehouse/shared/http/fields';
import type { WithId } from 'mongodb';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { EVENT_NAMES } from './events.ts';
import { manages } from './managers.ts';
import { WEBHOOK_STATUSES, type Webhook } from './records.ts';

/** What the operations on webhooks share. */

export const operation = { tags: ['webhooks'], security: [{ bearer: [] }] };

/** A webhook belongs to the account that configured it. */
export const config = { permission: 'own' } as const;

/** The failures of every operation on one webhook. */
export const oneWebhookFailures = failures('catalogue', 'invalidFormat', 'notFound', ...BEARER_FAILURES);

export const webhookId = z.object({ webhook_id: z.string() });

/** Stored exactly as given. */
export const secretText = z
  .string(expecting('must be a string'))
  .refine((text) => /^[^\p{Cc}\p{Cs}]{8,256}$/u.test(text), {
    error: 'must be 8 to 256 characters without control characters',
  })
  .meta({
    minLength: 8,
    maxLength: 256,
    description:
      '8 to 256 characters, none of them a control character (U+0000 to U+001F and U+007F to U+009F) or an unpaired surrogate. Used exactly as given',
  });

/** The fields that a caller sets. */
export const settings = {
  url: z
    .string(expecting('must be a string'))
    .min(1, { error: 'is required' })
    .max(2_048, { error: 'must be at most 2048 characters' })
    .meta({ format: 'uri' }),
  events: z
    .array(oneOf(EVENT_NAMES), expecting('must be an array of event names'))
    .min(1, { error: 'must contain at least one event' })
    .max(EVENT_NAMES.length, { error: 'must not repeat an event' }),
};

const dateTime = z.string().meta({ format: 'date-time' });

/** A webhook as its owner sees it. The secret is never returned. */
export const webhookRecord = z
  .object({
    webhook_id: z.string(),
    url: z.string(),
    events: z.array(z.enum(EVENT_NAMES)),
    status: z.enum(WEBHOOK_STATUSES),
    created_at: dateTime,
    updated_at: dateTime,
    previous_secret_until: dateTime
      .nullable()
      .meta({ description: 'The newest rotated-out secret also signs until then' }),
  })
  .meta({
    description: 'The webhook',
    examples: [
      {
        webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        url: 'https://app.example.com/hooks',
        events: ['conversation.started', 'payment.failed'],
        status: 'active',
        created_at: '2026-01-15T09:30:00.000Z',
        updated_at: '2026-01-15T09:30:00.000Z',
        previous_secret_until: null,
      },
    ],
  });

export const presentWebhook = (webhook: Webhook, now: number): z.infer<typeof webhookRecord> => {
  const [previous] = webhook.previous_secrets.filter(({ until }) => until.getTime() > now);
  return {
    webhook_id: webhook.webhook_id,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
    previous_secret_until: previous?.until.toISOString() ?? null,
  };
};

/** What the audit keeps of a webhook: of the URL the origin only, because receivers put keys into path and query. */
export const auditedWebhook = ({ url, events, status }: Pick<Webhook, 'url' | 'events' | 'status'>) => ({
  url: new URL(url).origin,
  events,
  status,
});

/**
 * Finds a webhook that the caller manages.
 * @param own.owner_id the caller.
 * @throws {AppError} notFound, also for a webhook that only others manage.
 */
export async function ownWebhook(
  db: Database,
  { webhook_id, owner_id: caller }: { webhook_id: string; owner_id: string },
): Promise<WithId<Webhook>> {
  const webhook = found(await db.webhooks.findOne({ webhook_id }));
  return found((await manages(db, caller, webhook)) ? webhook : null);
}
