import { auditedWebhook, BY_TIME } from '@gatehouse/webhooks/records';
import { type ArchiveJob, deleteInPages, record } from './job.ts';

/** Deletes the webhooks of an organization or department, each after its deliveries. Idempotent. */
export async function deleteWebhooks(
  job: ArchiveJob,
  place: { organization_id: string; department_id?: string },
): Promise<void> {
  const { db } = job;
  for (;;) {
    const webhook = await db.webhooks.findOne(place);
    if (!webhook) return;
    const { webhook_id } = webhook;
    await deleteInPages(job, db.webhookDeliveries, { webhook_id }, BY_TIME);
    await record(job, [
      { action: 'webhook.delete', target: { webhook_id }, before: auditedWebhook(webhook), ...place },
    ]);
    await db.webhooks.deleteOne({ webhook_id });
  }
}
