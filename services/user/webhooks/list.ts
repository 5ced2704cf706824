import { BEARER_FAILURES } from '@gatehouse/shared/catalogue';
import { failures } from '@gatehouse/shared/errors';
import { holding, listQuery, onePage, readPage } from '@gatehouse/shared/lists';
import { callerId } from '@gatehouse/shared/principal';
import { WEBHOOK_STATUSES, type Webhook } from '@gatehouse/shared/webhooks';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { config, shownWebhook, webhookRecord, webhooksOf } from './contract.ts';
import type { WebhookOptions } from './webhooks.ts';

const table = {
  sortable: ['created_at', 'updated_at', 'url', 'status', 'webhook_id'],
  filters: { status: WEBHOOK_STATUSES },
  searched: holding('url'),
  unique: 'webhook_id',
} as const satisfies { sortable: readonly (keyof Webhook)[]; [part: string]: unknown };

const schema = {
  ...webhooksOf,
  summary: 'List webhooks',
  description: "The caller's own. `search` looks for its text in the addresses, without regard to case.",
  querystring: listQuery(table),
  response: {
    200: onePage(webhookRecord),
    ...failures('catalogue', 'invalidFormat', ...BEARER_FAILURES),
  },
};

/** GET /api/v1/webhooks. */
export async function listWebhooks(root: FastifyInstance, { db, now }: WebhookOptions): Promise<void> {
  root.withTypeProvider<ZodTypeProvider>().get('/api/v1/webhooks', { schema, config }, async (request) => {
    const page = await readPage(
      db.webhooks,
      table,
      [{ within: { owner_id: callerId(request) } }],
      request.query,
    );
    return { ...page, data: page.data.map((webhook) => shownWebhook(webhook, now())) };
  });
}
