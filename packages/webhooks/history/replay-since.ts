import { expecting, jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { changeDeliveries, MAX_CHANGED } from './change-deliveries.ts';
import { requeue } from './requeue.ts';
import { eventFilter, httpStatusFilter, selectDeliveries, since, until } from './select-deliveries.ts';

const SETTLED = ['failed', 'delivered', 'cancelled'] as const;

export const replaySince = operation('POST /api/v1/webhooks/{webhook_id}/replay', {
  needs: 'administration',
  summary: 'Replay deliveries',
  description: `Replays the failed deliveries created from \`since\` until \`until\`; with \`all\`, delivered ones too; with \`status\`, only those of that status. \`event\` and \`http_status\` filter as in the list. One call replays up to ${MAX_CHANGED}, oldest first; if more remain, continue with \`next_since\`. Deliveries that are already pending, and those of events that are no longer subscribed, are not affected.`,
  body: jsonBody({
    since,
    until: until.exactOptional(),
    all: z.boolean(expecting('must be true or false')).default(false),
    status: oneOf(SETTLED).exactOptional(),
    event: eventFilter.exactOptional(),
    http_status: httpStatusFilter.exactOptional(),
  })
    .refine(({ all, status }) => !all || status === undefined, {
      error: 'must not contain both all and status',
    })
    .meta({
      examples: [
        { since: '2026-01-15T00:00:00Z' },
        { since: '2026-01-15T00:00:00Z', all: true },
        { since: '2026-01-15T00:00:00Z', until: '2026-01-16T00:00:00Z', http_status: 503 },
      ],
    }),
  returns: z
    .object({ replayed: z.int(), next_since: z.string().nullable().meta({ format: 'date-time' }) })
    .meta({
      description: 'The deliveries are pending again',
      examples: [{ replayed: 12, next_since: null }],
    }),
  async handle({ db, host, now, retention, webhookChanged, body, request }) {
    const { webhook_id, events } = await managedWebhook({ db, host }, request);
    const { since, until, all, status = 'failed', event, http_status } = body;
    const { filter, ...index } = selectDeliveries(webhook_id, {
      statuses: all ? ['failed', 'delivered'] : [status],
      events: event ? events.filter((subscribed) => subscribed === event) : events,
      http_status,
      since: new Date(since),
      until: until === undefined ? undefined : new Date(until),
    });
    // Excludes what is delivered while this call, or a duplicate of it, runs.
    const settled = { ...filter, settled_at: { $lt: new Date(now()) } };
    const { changed, next_since } = await changeDeliveries(
      db,
      { filter: settled, ...index },
      requeue(now(), retention),
      () => webhookChanged(webhook_id, { endPause: true }),
    );
    return { replayed: changed, next_since };
  },
});
