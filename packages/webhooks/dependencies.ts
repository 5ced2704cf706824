import type { Secrets } from '@gatehouse/shared/data/secrets';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Database } from './database.ts';
import type { Sender } from './delivery/deliver.ts';
import type { Wake } from './delivery/wake.ts';
import type { WebhookHost } from './host.ts';
import type { Accept } from './intake/accept.ts';
import type { ValidateReceiverUrl } from './registration/receiver-url.ts';

/** The dependencies of the operations on webhooks. */
export interface WebhookDependencies {
  db: Database;
  now: () => number;
  host: WebhookHost;
  /** Stores an event and its deliveries. */
  accept: Accept;
  /** Milliseconds for which events and deliveries are kept. */
  retention: number;
  secrets: Secrets;
  sender: Sender;
  /** Milliseconds for the attempt of a test event. */
  testTimeout: number;
  validateReceiverUrl: ValidateReceiverUrl;
  webhookChanged: Wake['webhookChanged'];
}

export const operation = operationsOf<WebhookDependencies>();
