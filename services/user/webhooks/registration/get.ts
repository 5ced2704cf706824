import { callerId } from '@gatehouse/shared/identity/principal';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  config,
  oneRefused,
  ownWebhook,
  presentWebhook,
  webhookId,
  webhookRecord,
  webhooksOf,
} from '../contract.ts';
import type { WebhookOptions } from '../webhooks.ts';

const schema = {
  ...webhooksOf,
  summary: 'Read a webhook',
  description: "All but the secret. Another account's is answered like one that does not exist.",
  params: webhookId,
  response: { 200: webhookRecord, ...oneRefused },
};

/** GET /api/v1/webhooks/{webhook_id}. */
export const getWebhook: FastifyPluginAsyncZod<WebhookOptions> = async (app, { db, now }) => {
  app.get('/api/v1/webhooks/:webhook_id', { schema, config }, async (request) =>
    presentWebhook(await ownWebhook(db, { ...request.params, owner_id: callerId(request) }), now()),
  );
};
