import { failures } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Filter } from 'mongodb';
import { z } from 'zod';
import { config, oneRefused, ownWebhook, webhookId, webhooksOf } from '../contract.ts';
import { wakeNow } from '../delivery/lease.ts';
import type { Delivery } from '../records.ts';
import type { WebhookOptions } from '../webhooks.ts';
import { requeue } from './requeue.ts';

/** Deliveries of one call, and of one write of it. */
const MAX_REPLAYED = 20_000;
const PAGE = 1_000;

const schema = {
  ...webhooksOf,
  summary: 'Replay deliveries',
  description: `Those made since a moment that were given up; with \`all\`, those that were delivered, too. Up to ${MAX_REPLAYED} in one call, oldest first: \`next_since\` tells where to go on. Called again, it replays nothing that waits already.`,
  params: webhookId,
  body: jsonBody({
    since: z.iso.datetime({
      offset: true,
      ...expecting('must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'),
    }),
    all: z.boolean(expecting('must be true or false')).default(false),
  }).meta({ examples: [{ since: '2026-01-15T00:00:00Z' }, { since: '2026-01-15T00:00:00Z', all: true }] }),
  response: {
    200: z
      .object({ replayed: z.int(), next_since: z.string().nullable().meta({ format: 'date-time' }) })
      .meta({ description: 'They are on their way', examples: [{ replayed: 12, next_since: null }] }),
    ...oneRefused,
    ...failures('catalogue', 'missingField', 'invalidFormat'),
  },
};

/** POST /api/v1/webhooks/{webhook_id}/replay. */
export const replaySince: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db, now, kick }) => {
  app.post('/api/v1/webhooks/:webhook_id/replay', { schema, config }, async (request) => {
    const { webhook_id } = await ownWebhook(db, { ...request.params, owner_id: callerId(request) });
    const { all, since } = request.body;
    const settled: Filter<Delivery> = {
      webhook_id,
      status: all ? { $in: ['failed', 'delivered'] } : 'failed',
      // What is delivered while this goes on is not replayed once more, nor by the same call made twice.
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
      await wakeNow(db, webhook_id, now());
      kick([webhook_id]);
      if (page.length < PAGE) return { replayed, next_since: null };
    }
    return { replayed, next_since: from.toISOString() };
  });
};
