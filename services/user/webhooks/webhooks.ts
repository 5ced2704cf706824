import type { FastifyInstance } from 'fastify';
import type { Database } from '../database.ts';
import type { Sender } from './delivery/deliver.ts';
import type { Secrets } from './delivery/secrets.ts';
import { listDeliveries } from './history/list-deliveries.ts';
import { replayDelivery } from './history/replay-delivery.ts';
import { replaySince } from './history/replay-since.ts';
import { testDelivery } from './history/test-delivery.ts';
import { configureWebhook } from './registration/configure.ts';
import { deleteWebhook } from './registration/delete.ts';
import { getWebhook } from './registration/get.ts';
import { listWebhooks } from './registration/list.ts';
import type { ValidateReceiverUrl } from './registration/receiver-url.ts';
import { rotateSecret } from './registration/rotate-secret.ts';
import { updateWebhook } from './registration/update.ts';

export interface WebhookOptions {
  db: Database;
  now: () => number;
  secrets: Secrets;
  sender: Sender;
  validateReceiverUrl: ValidateReceiverUrl;
  /** Told which webhooks have something to deliver. */
  kick: (webhookIds: string[]) => void;
}

/** Webhooks under /api/v1/webhooks; their callers have passed `requirePrincipal`. */
export async function webhooks(app: FastifyInstance, options: WebhookOptions): Promise<void> {
  await app.register(configureWebhook, options);
  await app.register(listWebhooks, options);
  await app.register(getWebhook, options);
  await app.register(updateWebhook, options);
  await app.register(deleteWebhook, options);
  await app.register(rotateSecret, options);
  await app.register(testDelivery, options);
  await app.register(listDeliveries, options);
  await app.register(replayDelivery, options);
  await app.register(replaySince, options);
}
