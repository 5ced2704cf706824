import { tenantOf } from '@gatehouse/shared/access/tenant';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import type { Database } from '../database.ts';
import { operation } from '../dependencies.ts';
import { managedWebhook } from '../managed.ts';
import { auditedWebhook, BY_TIME } from '../records.ts';

/** Deliveries deleted in one command, which blocks other commands in a standalone database. */
const PAGE = 1_000;

export const deleteWebhook = operation('DELETE /api/v1/webhooks/{webhook_id}', {
  needs: 'administration',
  summary: 'Delete a webhook',
  description:
    'Deletes the webhook and its deliveries permanently. Up to 16 attempts in flight may still arrive.',
  returns: message('Webhook deleted', 'The webhook is deleted'),
  audits: ['webhook.delete'],
  async handle({ db, host, webhookChanged, audit, request }) {
    const { webhook_id } = await managedWebhook({ db, host }, request);
    const deleted = orNotFound(await db.webhooks.findOneAndDelete({ webhook_id }));
    await webhookChanged(webhook_id);
    // In the background: without their webhook, deliveries are neither listed nor sent. Any left over expire.
    deleteDeliveries(db, webhook_id).catch((error) => {
      request.log.warn(
        { err: error, webhook_id },
        'cannot delete the deliveries of a deleted webhook; they expire later',
      );
    });
    await audit('webhook.delete', {
      target: { webhook_id },
      ...tenantOf(deleted),
      before: auditedWebhook(deleted),
    });
  },
});

async function deleteDeliveries(db: Database, webhook_id: string): Promise<void> {
  for (;;) {
    const page = await db.webhookDeliveries
      .find({ webhook_id }, { projection: { _id: 1 }, limit: PAGE, hint: BY_TIME })
      .toArray();
    if (page.length === 0) return;
    await db.webhookDeliveries.deleteMany({ _id: { $in: page.map(({ _id }) => _id) } });
  }
}
