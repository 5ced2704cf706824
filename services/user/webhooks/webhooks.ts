import type { Database } from '@gatehouse/shared/database';
import type { FastifyInstance } from 'fastify';
import type { Sender } from '../delivery/deliver.ts';
import { configureWebhook } from './configure.ts';
import { deleteWebhook } from './delete.ts';
import { listDeliveries } from './deliveries.ts';
import { getWebhook } from './get.ts';
import { listWebhooks } from './list.ts';
import type { JudgeReceiver } from './receiver.ts';
import { replayDelivery } from './replay-delivery.ts';
import { replaySince } from './replay-since.ts';
import { rotateSecret } from './rotate-secret.ts';
import type { Secrets } from './secrets.ts';
import { testDelivery } from './test-delivery.ts';
import { updateWebhook } from './update.ts';

export interface WebhookOptions {
  db: Database;
  now: () => number;
  secrets: Secrets;
  sender: Sender;
  judgeReceiver: JudgeReceiver;
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
