import { jsonBody } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { changeDeliveries, MAX_CHANGED } from './change-deliveries.ts';
import { eventFilter, httpStatusFilter, selectDeliveries, since, until } from './select-deliveries.ts';

export const cancelDeliveries = operation('POST /api/v1/webhooks/{webhook_id}/cancel', {
  needs: 'administration',
  summary: 'Cancel deliveries',
  description: `Cancels the deliveries that are pending when the call begins and match every field of the body. One call cancels up to ${MAX_CHANGED}, oldest first; if more remain, continue with \`next_since\`. An attempt that is in flight is not interrupted: its delivery becomes \`delivered\` if the receiver accepts it, and is not tried again if not. Canceled deliveries can be replayed.`,
  body: jsonBody({
    since: since.exactOptional(),
    until: until.exactOptional(),
    event: eventFilter.exactOptional(),
    http_status: httpStatusFilter.exactOptional(),
  })
    .nullable()
    .meta({ examples: [{ since: '2026-01-15T00:00:00Z', event: 'conversation.started' }, {}] }),
  returns: z
    .object({ cancelled: z.int(), next_since: z.string().nullable().meta({ format: 'date-time' }) })
    .meta({
      description: 'The deliveries are canceled',
      examples: [{ cancelled: 12, next_since: null }],
    }),
  audits: ['webhook.cancel'],
  async handle({ db, host, now, webhookChanged, audit, body, request }) {
    const webhook = await managedWebhook({ db, host }, request);
    const { webhook_id, organization_id = null, department_id = null } = webhook;
    const { since, until, event, http_status } = body ?? {};
    // Deliveries that are created later are left out; otherwise the call might not end.
    const began = now() + 1;
    const pending = selectDeliveries(webhook_id, {
      statuses: ['pending'],
      events: event && [event],
      http_status,
      since: since === undefined ? undefined : new Date(since),
      until: new Date(until === undefined ? began : Math.min(Date.parse(until), began)),
    });
    const { changed, next_since } = await changeDeliveries(
      db,
      pending,
      { $set: { status: 'cancelled', settled_at: new Date(now()) } },
      () => webhookChanged(webhook_id, { cancelled: true }),
    );
    if (changed > 0) {
      await audit('webhook.cancel', {
        target: { webhook_id },
        after: { cancelled: String(changed) },
        organization_id,
        department_id,
      });
    }
    return { cancelled: changed, next_since };
  },
});
