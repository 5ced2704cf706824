import { bounded } from '@gatehouse/shared/data/bounded';
import { derivedId } from '@gatehouse/shared/derived-id';
import { createLease } from '@gatehouse/shared/durable/lease';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database.ts';
import type { WebhookHost } from '../host.ts';
import type { Accept } from '../intake/accept.ts';
import type { DisabledWebhook } from '../records.ts';
import { recipientsOf } from './notice-recipients.ts';

/** Milliseconds until another process may tell those that one could not. */
const LEASE = 60_000;
/** Milliseconds after which the owners are not told any more. */
const GIVE_UP_AFTER = 3 * 86_400_000;

interface Options {
  db: Database;
  now: () => number;
  accept: Accept;
  host: WebhookHost;
  log: FastifyBaseLogger;
  /** Milliseconds between two looks for webhooks that were disabled. */
  interval: number;
}

/**
 * Tells the owners of webhooks that a worker disabled: by mail, by the event `webhook.disabled`, in the audit. The
 * notice on the webhook is the outbox. One process at a time holds it, and takes each recipient off once the mail
 * server has accepted the mail, so that a kill or a mail server that is down repeats at most the mail in flight.
 */
export function createOwnerNotifier(options: Options): Poller {
  const lease = createLease({
    collection: options.db.webhooks,
    due: 'notice.due',
    holder: 'notice.holder',
    duration: LEASE,
    now: options.now,
  });
  const poller: Poller = createPoller({
    interval: options.interval,
    async run() {
      while (!poller.stopping) {
        const disabled = await bounded(lease.claim());
        if (!disabled) return;
        await tell(options, disabled as DisabledWebhook);
      }
    },
    log: options.log,
    failure: 'cannot tell the owners of disabled webhooks yet',
  });
  return poller;
}

async function tell(options: Options, webhook: DisabledWebhook): Promise<void> {
  const { db, now, log } = options;
  const { webhook_id, notice } = webhook;
  // The webhook may be disabled again, with another notice.
  const own = { webhook_id, 'notice.at': notice.at };
  await publish(options, webhook);
  const recipients = notice.recipients ?? (await bounded(recipientsOf(options, webhook, now())));
  if (!notice.recipients)
    await bounded(db.webhooks.updateOne(own, { $set: { 'notice.recipients': recipients } }));
  const told = await Promise.all(recipients.map((user_id) => mailTo(options, webhook, user_id)));
  const expired = now() - notice.at.getTime() >= GIVE_UP_AFTER;
  if (expired && told.includes(false)) log.error({ webhook_id }, 'owners of a disabled webhook not told');
  if (expired || !told.includes(false))
    await bounded(db.webhooks.updateOne(own, { $unset: { notice: true } }));
}

/** Tells the other webhooks of the account or place, and the audit. Both ids are derived, so that once is enough. */
async function publish({ db, now, accept, log }: Options, webhook: DisabledWebhook): Promise<void> {
  const { webhook_id, owner_id, organization_id = null, department_id = null, name = null } = webhook;
  const { reason, at } = webhook.notice;
  const id = derivedId(at.getTime(), `webhook.disabled ${webhook_id}`);
  const place = { organization_id, department_id };
  await bounded(
    auditJob(db, { id, log }, now(), [
      {
        event_id: id,
        action: 'webhook.disable',
        user_id: null,
        target: { webhook_id, ...(owner_id !== null && { user_id: owner_id }) },
        after: { reason },
        ...place,
      },
    ]),
  );
  await accept({
    id,
    event: 'webhook.disabled',
    audience: { owner_id, ...place, chatbot_id: null },
    timestamp: at.toISOString(),
    data: { webhook_id, name, ...place, reason, disabled_at: at.toISOString() },
  });
}

/** @returns false if the mail must be tried again. */
async function mailTo(
  { db, host, log }: Options,
  webhook: DisabledWebhook,
  user_id: string,
): Promise<boolean> {
  const { webhook_id, owner_id, url, notice } = webhook;
  try {
    const user = await bounded(db.users.findOne({ user_id, ...ACTIVE }, { projection: { email: 1 } }));
    const mail = { webhook_id, host: new URL(url).host, shared: owner_id === null, reason: notice.reason };
    if (user) await host.mailer.sendWebhookDisabled(user.email, mail);
  } catch (error) {
    log.warn({ err: error, webhook_id, user_id }, 'owner not told of a disabled webhook yet');
    return false;
  }
  await bounded(
    db.webhooks.updateOne(
      { webhook_id, 'notice.at': notice.at },
      { $pull: { 'notice.recipients': user_id } },
    ),
  );
  return true;
}
