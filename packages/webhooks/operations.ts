import { cancelDeliveries } from './history/cancel-deliveries.ts';
import { cancelDelivery } from './history/cancel-delivery.ts';
import { getDelivery } from './history/get-delivery.ts';
import { getHealth } from './history/get-health.ts';
import { listDeliveries } from './history/list-deliveries.ts';
import { replayDelivery } from './history/replay-delivery.ts';
import { replaySince } from './history/replay-since.ts';
import { publishEvents } from './intake/publish.ts';
import { listAllEvents } from './pull/list-all-events.ts';
import { listEvents } from './pull/list-events.ts';
import { configureWebhook } from './registration/configure.ts';
import { deleteWebhook } from './registration/delete.ts';
import { getWebhook } from './registration/get.ts';
import { listWebhooks } from './registration/list.ts';
import { rotateSecret } from './registration/rotate-secret.ts';
import { sendTestEvent } from './registration/send-test-event.ts';
import { updateWebhook } from './registration/update.ts';

/** The operations on webhooks and events. */
export const webhooks = [
  configureWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  sendTestEvent,
  getHealth,
  listDeliveries,
  getDelivery,
  replayDelivery,
  replaySince,
  cancelDelivery,
  cancelDeliveries,
  listEvents,
  publishEvents,
  listAllEvents,
];
