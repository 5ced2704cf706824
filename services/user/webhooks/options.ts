import type { Database } from '../database.ts';
import type { Secrets } from '../secrets.ts';
import type { Sender } from './delivery/deliver.ts';
import type { Wake } from './delivery/wake.ts';
import type { ValidateReceiverUrl } from './registration/receiver-url.ts';

/** What the operations on webhooks work with. */
export interface WebhookOptions {
  db: Database;
  now: () => number;
  /** Milliseconds for which events and deliveries are kept. */
  retention: number;
  secrets: Secrets;
  sender: Sender;
  /** Milliseconds for the attempt of a test event. */
  testTimeout: number;
  validateReceiverUrl: ValidateReceiverUrl;
  webhookChanged: Wake['webhookChanged'];
}
