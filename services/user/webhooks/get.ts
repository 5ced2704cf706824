import { callerId } from '@gatehouse/shared/principal';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import {
  config,
  oneRefused,
  ownWebhook,
  shownWebhook,
  webhookId,
  webhookRecord,
  webhooksOf,
} from './contract.ts';
import type { WebhookOptions } from './webhooks.ts';

const schema = {
  ...webhooksOf,
  summary: 'Read a webhook',
  description: "All but the secret. Another account's is answered like one that does not exist.",
  params: webhookId,
  response: { 200: webhookRecord, ...oneRefused },
};

/** GET /api/v1/webhooks/{webhook_id}. */
export async function getWebhook(root: FastifyInstance, { db, now }: WebhookOptions): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get('/api/v1/webhooks/:webhook_id', { schema, config }, async (request) =>
      shownWebhook(await ownWebhook(db, { ...request.params, owner_id: callerId(request) }), now()),
    );
}
