import { BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { containsText, listQuery, pageResponse, readPage } from '../../lists.ts';
import { config, operation, presentWebhook, webhookRecord } from '../contract.ts';
import { managedBy } from '../managers.ts';
import type { WebhookOptions } from '../options.ts';
import { WEBHOOK_STATUSES, type Webhook } from '../records.ts';

const table = {
  sortable: ['created_at', 'updated_at', 'url', 'status', 'name', 'webhook_id'],
  filters: { status: WEBHOOK_STATUSES, organization_id: null, department_id: null },
  search: (text: string) => ({ $or: [containsText('url')(text), containsText('name')(text)] }),
  unique: 'webhook_id',
} as const satisfies { sortable: readonly (keyof Webhook)[]; [part: string]: unknown };

const schema = {
  ...operation,
  summary: 'List webhooks',
  description:
    "Lists the webhooks that the caller manages: their own, and those of their organizations and departments. `organization_id` and `department_id` keep those of one place; an organization's include those of its departments. `search` matches any part of the URL or name, ignoring case.",
  querystring: listQuery(table),
  response: {
    200: pageResponse(webhookRecord),
    ...failures('catalogue', 'invalidFormat', ...BEARER_FAILURES),
  },
};

/** GET /api/v1/webhooks. */
export const listWebhooks: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db, now }) => {
  app.get('/api/v1/webhooks', { schema, config }, async (request) => {
    const page = await readPage(db.webhooks, table, await managedBy(db, callerId(request)), request.query);
    return { ...page, data: page.data.map((webhook) => presentWebhook(webhook, now())) };
  });
};
