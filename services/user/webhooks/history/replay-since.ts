import { failures } from '@gatehouse/shared/http/errors';
import { expecting, isoDateTime, jsonBody } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Filter } from 'mongodb';
import { z } from 'zod';
import { config, oneWebhookFailures, operation, ownWebhook, webhookId } from '../contract.ts';
import type { WebhookOptions } from '../options.ts';
import type { Delivery } from '../records.ts';
import { requeue } from './requeue.ts';

/** Deliveries replayed by one call. */
const MAX_REPLAYED = 20_000;
/** Deliveries requeued by one write. */
const PAGE = 1_000;

const schema = {
  ...operation,
  summary: 'Replay deliveries',
  description: `Replays the failed deliveries created since a time; with \`all\`, the delivered ones too. One call replays up to ${MAX_REPLAYED}, oldest first; if more remain, continue with \`next_since\`. Deliveries that are already pending, and those of events that are no longer subscribed, are not affected.`,
  params: webhookId,
  body: jsonBody({
    since: isoDateTime,
    all: z.boolean(expecting('must be true or false')).default(false),
  }).meta({ examples: [{ since: '2026-01-15T00:00:00Z' }, { since: '2026-01-15T00:00:00Z', all: true }] }),
  response: {
    200: z
      .object({ replayed: z.int(), next_since: z.string().nullable().meta({ format: 'date-time' }) })
      .meta({
        description: 'The deliveries are pending again',
        examples: [{ replayed: 12, next_since: null }],
      }),
    ...oneWebhookFailures,
    ...failures('catalogue', 'missingField', 'invalidFormat'),
  },
};

/** POST /api/v1/webhooks/{webhook_id}/replay. */
export const replaySince: FastifyPluginAsyncZod<WebhookOptions> = async (
  app,
  { db, now, webhookChanged },
) => {
  app.post('/api/v1/webhooks/:webhook_id/replay', { schema, config }, async (request) => {
    const { webhook_id, events } = await ownWebhook(db, { ...request.params, owner_id: callerId(request) });
    const { all, since } = request.body;
    const settled: Filter<Delivery> = {
      webhook_id,
      event: { $in: events },
      status: all ? { $in: ['failed', 'delivered'] } : 'failed',
      // Excludes what is delivered while this call, or a duplicate of it, runs.
      settled_at: { $lt: new Date(now()) },
    };
    let from = new Date(since);
    let replayed = 0;
    for (let left = MAX_REPLAYED; left > 0; left -= PAGE) {
      const page = await db.webhookDeliveries
        .find({ ...settled, created_at: { $gte: from } }, { projection: { created_at: 1 } })
        .sort({ created_at: 1 })
        .limit(PAGE)
        .toArray();
      const last = page.at(-1);
      if (!last) return { replayed, next_since: null };
      const ids = page.map(({ _id }) => _id);
      const { modifiedCount } = await db.webhookDeliveries.updateMany(
        { ...settled, _id: { $in: ids } },
        requeue(now()),
      );
      replayed += modifiedCount;
      from = last.created_at;
      await webhookChanged(webhook_id, { endHold: true });
      if (page.length < PAGE) return { replayed, next_since: null };
    }
    return { replayed, next_since: from.toISOString() };
  });
};
