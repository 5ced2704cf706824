import type { WebhookHost } from '@gatehouse/webhooks/host';
import type { Database } from '../../services/user/database.ts';
import { createWebhookHost } from '../../services/user/webhook-host.ts';

/** The user service as the host of webhooks. @param mailer sends nothing by default. */
export const hostOf = (db: Database, mailer: Partial<WebhookHost['mailer']> = {}): WebhookHost =>
  createWebhookHost(db, { sendWebhookDisabled: async () => {}, ...mailer });
