import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { config, managedWebhook, oneWebhookFailures, operation, webhookId } from '../contract.ts';
import type { WebhookOptions } from '../options.ts';
import { countedHealth, readHealth } from './read-health.ts';

const schema = {
  ...operation,
  summary: 'Read the health of a webhook',
  description: `Tells how the attempts of the last day went, how many failed in a row, and how much waits, up to 100,000. When every attempt fails for three days, the webhook is disabled; \`failing_since\` is when the three days began. Attempts are counted within a few seconds; those of a process that is killed may miss its last seconds. Test events are not counted.`,
  params: webhookId,
  response: { 200: countedHealth, ...oneWebhookFailures },
};

/** GET /api/v1/webhooks/{webhook_id}/health. */
export const getHealth: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db, now }) => {
  app.get('/api/v1/webhooks/:webhook_id/health', { schema, config }, async (request) =>
    readHealth(db, await managedWebhook(db, request), now()),
  );
};
