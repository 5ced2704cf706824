import type { FastifyInstance } from 'fastify';
import { cancelDeliveries } from './history/cancel-deliveries.ts';
import { cancelDelivery } from './history/cancel-delivery.ts';
import { getDelivery } from './history/get-delivery.ts';
import { getHealth } from './history/get-health.ts';
import { listDeliveries } from './history/list-deliveries.ts';
import { replayDelivery } from './history/replay-delivery.ts';
import { replaySince } from './history/replay-since.ts';
import type { WebhookOptions } from './options.ts';
import { listEvents } from './pull/list-events.ts';
import { configureWebhook } from './registration/configure.ts';
import { deleteWebhook } from './registration/delete.ts';
import { getWebhook } from './registration/get.ts';
import { listWebhooks } from './registration/list.ts';
import { rotateSecret } from './registration/rotate-secret.ts';
import { sendTestEvent } from './registration/send-test-event.ts';
import { updateWebhook } from './registration/update.ts';

/** The operations under /api/v1/webhooks and /api/v1/events. Callers have passed `requirePrincipal`. */
export async function webhooks(app: FastifyInstance, options: WebhookOptions): Promise<void> {
  await app.register(configureWebhook, options);
  await app.register(listWebhooks, options);
  await app.register(getWebhook, options);
  await app.register(updateWebhook, options);
  await app.register(deleteWebhook, options);
  await app.register(rotateSecret, options);
  await app.register(sendTestEvent, options);
  await app.register(getHealth, options);
  await app.register(listDeliveries, options);
  await app.register(getDelivery, options);
  await app.register(replayDelivery, options);
  await app.register(replaySince, options);
  await app.register(cancelDelivery, options);
  await app.register(cancelDeliveries, options);
  await app.register(listEvents, options);
}
