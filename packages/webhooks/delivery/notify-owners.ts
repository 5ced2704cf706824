import { bounded } from '@gatehouse/shared/data/bounded';
import { derivedId } from '@gatehouse/shared/derived-id';
import { createLease, type Lease } from '@gatehouse/shared/durable/lease';
import { sendAll } from '@gatehouse/shared/durable/outbox';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import type { Document, WithId } from 'mongodb';
import type { Database } from '../database.ts';
import type { WebhookHost } from '../host.ts';
import type { Accept } from '../intake/accept.ts';
import type { DisabledWebhook, Webhook } from '../records.ts';
import { recipientsOf } from './notice-recipients.ts';

/** Milliseconds until another process may take over a notice. */
const LEASE = 60_000;
/** Milliseconds after which a notice is given up. */
const GIVE_UP_AFTER = 3 * 86_400_000;

interface Options {
  db: Database;
  now: () => number;
  accept: Accept;
  host: WebhookHost;
  log: FastifyBaseLogger;
  /** Milliseconds between polls for disabled webhooks. */
  interval: number;
}

/**
 * Notifies the owners of webhooks that a worker disabled: by mail, by the event `webhook.disabled`, in the audit. The
 * notice on the webhook is the outbox.
 */
export function createOwnerNotifier(options: Options): Poller {
  const lease = createLease({
    collection: options.db.webhooks,
    due: 'notice.due',
    holder: 'notice.holder',
    duration: LEASE,
    now: options.now,
  });
  return createPoller({
    interval: options.interval,
    async run(isStopping) {
      while (!isStopping()) {
        const disabled = await bounded(lease.claim());
        if (!disabled) return;
        await notify({ ...options, lease, isStopping }, disabled as WithId<DisabledWebhook>);
      }
    },
    log: options.log,
    failure: 'cannot notify the owners of disabled webhooks; retrying',
  });
}

interface NotifyOptions extends Options {
  lease: Lease<Webhook>;
  isStopping: () => boolean;
}

async function notify(options: NotifyOptions, webhook: WithId<DisabledWebhook>): Promise<void> {
  const { db, now, log, host, lease } = options;
  const { _id, webhook_id, owner_id, url, notice } = webhook;
  await publish(options, webhook);
  const renew = (update: Document) => lease.renew(_id, update);
  const recipients = notice.recipients ?? (await bounded(recipientsOf(options, webhook, now())));
  if (!notice.recipients && !(await bounded(renew({ $set: { 'notice.recipients': recipients } })))) return;
  const mail = { webhook_id, host: new URL(url).host, shared: owner_id === null, reason: notice.reason };
  const mails = recipients.map((user_id) => ({
    user_id,
    async send() {
      const user = await bounded(
        db.users.findOne({ user_id, ...ACTIVE }, { projection: { email: 1, language: 1 } }),
      );
      if (user) await host.mailer.sendWebhookDisabled(user, mail);
    },
    sent: { $pull: { 'notice.recipients': user_id } },
  }));
  const failure = 'cannot notify an owner of a disabled webhook; retrying';
  const result = await sendAll(mails, { ...options, renew, failure });
  const isGivenUp = result === 'failed' && now() - notice.at.getTime() >= GIVE_UP_AFTER;
  if (isGivenUp) log.error({ webhook_id }, 'gave up notifying the owners of a disabled webhook');
  if (result === 'sent' || isGivenUp)
    await bounded(db.webhooks.updateOne(lease.held(_id), { $unset: { notice: true } }));
}

/** Publishes `webhook.disabled` and audits it. Idempotent: both ids are derived. */
async function publish({ db, now, accept, log }: Options, webhook: DisabledWebhook): Promise<void> {
  const { webhook_id, owner_id, organization_id = null, department_id = null, name = null } = webhook;
  const { reason, at } = webhook.notice;
  const id = derivedId(at.getTime(), `webhook.disabled ${webhook_id}`);
  const tenant = { organization_id, department_id };
  await bounded(
    auditJob(db, { id, log }, now(), [
      {
        event_id: id,
        action: 'webhook.disable',
        user_id: null,
        target: { webhook_id, ...(owner_id !== null && { user_id: owner_id }) },
        after: { reason },
        ...tenant,
      },
    ]),
  );
  await accept({
    id,
    event: 'webhook.disabled',
    audience: { owner_id, ...tenant, chatbot_id: null },
    timestamp: at.toISOString(),
    data: { webhook_id, name, ...tenant, reason, disabled_at: at.toISOString() },
  });
}
