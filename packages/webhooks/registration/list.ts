import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { presentWebhook, webhookRecord } from '../contract.ts';
import { operation } from '../dependencies.ts';
import { managedBy } from '../managed.ts';
import { WEBHOOK_STATUSES, type Webhook } from '../records.ts';

const table = {
  sortable: ['created_at', 'updated_at', 'url', 'status', 'name', 'webhook_id'],
  filters: { status: WEBHOOK_STATUSES, organization_id: null, department_id: null },
  search: (text: string) => ({ $or: [containsText('url')(text), containsText('name')(text)] }),
  unique: 'webhook_id',
} as const satisfies { sortable: readonly (keyof Webhook)[]; [part: string]: unknown };

export const listWebhooks = operation('GET /api/v1/webhooks', {
  needs: 'administration',
  summary: 'List webhooks',
  description:
    'Lists the webhooks that the caller manages: their own, and those of their organizations and departments. `organization_id` and `department_id` filter by tenant; those of an organization include those of its departments. `search` matches any part of the URL or name, ignoring case.',
  query: listQuery(table),
  returns: pageResponse(webhookRecord),
  async handle({ db, host, now, request, query }) {
    const page = await readPage(db.webhooks, table, await managedBy(host, request, query), query);
    return { ...page, data: page.data.map((webhook) => presentWebhook(webhook, now())) };
  },
});
