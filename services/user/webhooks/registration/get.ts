import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  config,
  managedWebhook,
  oneWebhookFailures,
  operation,
  presentWebhook,
  webhookId,
  webhookRecord,
} from '../contract.ts';
import type { WebhookOptions } from '../options.ts';

const schema = {
  ...operation,
  summary: 'Read a webhook',
  description:
    'Returns everything but the secret and the values of its headers. A webhook that only others manage is 404.',
  params: webhookId,
  response: { 200: webhookRecord, ...oneWebhookFailures },
};

/** GET /api/v1/webhooks/{webhook_id}. */
export const getWebhook: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db, now }) => {
  app.get('/api/v1/webhooks/:webhook_id', { schema, config }, async (request) =>
    presentWebhook(await managedWebhook(db, request), now()),
  );
};
