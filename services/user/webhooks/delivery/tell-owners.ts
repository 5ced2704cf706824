import { derivedId } from '@gatehouse/shared/derived-id';
import { AppError } from '@gatehouse/shared/http/errors';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import { HOUR } from '../../hourly-budget.ts';
import type { Mailer } from '../../mail.ts';
import { createPoller } from '../../poller.ts';
import { spend } from '../../sliding-budget.ts';
import type { Accept } from '../intake/accept.ts';
import type { Webhook } from '../records.ts';
import { bounded } from './database-timeout.ts';

/** Milliseconds between two looks for webhooks that were disabled. */
const INTERVAL = 5_000;
/** Milliseconds until another process may tell those that one could not. */
const LEASE = 60_000;
/** Milliseconds that mails in flight may take when the service stops. */
const GRACE = 3_000;
/** Milliseconds after which the owners are not told any more. */
const GIVE_UP_AFTER = 3 * 86_400_000;
/** Mails for one webhook. */
const MAX_RECIPIENTS = 20;
/** Mails to one person within a day about the webhooks of one account or organization. */
const PER_RECIPIENT = 10;

interface Options {
  db: Database;
  now: () => number;
  accept: Accept;
  mailer: Mailer;
  log: FastifyBaseLogger;
}

type Disabled = WithId<Webhook> & Required<Pick<Webhook, 'notice'>>;

/**
 * Tells the owners of webhooks that a worker disabled: by mail, by the event `webhook.disabled`, in the audit. The
 * notice on the webhook is the outbox. One process at a time holds it, and takes each recipient off once the mail
 * server has accepted the mail, so that a kill or a mail server that is down repeats at most the mail in flight.
 */
export interface OwnerTeller {
  start(): void;
  /** A webhook has just been disabled. */
  tellSoon(): void;
  stop(): Promise<void>;
}

export function createOwnerTeller(options: Options): OwnerTeller {
  const poller = createPoller({
    interval: INTERVAL,
    run: tellAll,
    log: options.log,
    failure: 'cannot tell the owners of disabled webhooks yet',
  });

  async function tellAll(): Promise<void> {
    while (!poller.stopping) {
      const disabled = await bounded(claim(options));
      if (!disabled) return;
      await tell(options, disabled);
    }
  }

  return {
    start: poller.start,
    tellSoon: poller.wake,
    async stop() {
      await withTimeout(poller.stop(), GRACE, new Error('grace period over')).catch(() => {});
    },
  };
}

const claim = ({ db, now }: Options) =>
  db.webhooks.findOneAndUpdate(
    { 'notice.due': { $lte: new Date(now()) } },
    { $set: { 'notice.due': new Date(now() + LEASE) } },
    { returnDocument: 'after' },
  ) as Promise<Disabled | null>;

async function tell(options: Options, webhook: Disabled): Promise<void> {
  const { db, now, log } = options;
  const { webhook_id, notice } = webhook;
  // The webhook may be disabled again, with another notice.
  const own = { webhook_id, 'notice.at': notice.at };
  await publish(options, webhook);
  const recipients = notice.recipients ?? (await bounded(recipientsOf(options, webhook)));
  if (!notice.recipients)
    await bounded(db.webhooks.updateOne(own, { $set: { 'notice.recipients': recipients } }));
  const told = await Promise.all(recipients.map((user_id) => mailTo(options, webhook, user_id)));
  const expired = now() - notice.at.getTime() >= GIVE_UP_AFTER;
  if (expired && told.includes(false)) log.error({ webhook_id }, 'owners of a disabled webhook not told');
  if (expired || !told.includes(false))
    await bounded(db.webhooks.updateOne(own, { $unset: { notice: true } }));
}

/** Tells the other webhooks of the account or place, and the audit. Both ids are derived, so that once is enough. */
async function publish({ db, now, accept, log }: Options, webhook: Disabled): Promise<void> {
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

/** The owner of the webhook, or the Owners of its organization and department. */
async function ownersOf(
  db: Database,
  { owner_id, organization_id, department_id }: Webhook,
): Promise<string[]> {
  if (owner_id !== null) return [owner_id];
  if (!organization_id) return [];
  const [organization, members] = await Promise.all([
    db.organizations.findOne({ organization_id }, { projection: { owners: 1 } }),
    department_id
      ? db.memberships
          .find({ department_id, role: 'Owner', user_id: { $gt: '' } }, { projection: { user_id: 1 } })
          .limit(MAX_RECIPIENTS)
          .toArray()
      : [],
  ]);
  const owners = [...(organization?.owners ?? []), ...members].map(({ user_id }) => user_id as string);
  return [...new Set(owners)].slice(0, MAX_RECIPIENTS);
}

/** The owners, except those who had many such mails lately: a webhook can be activated and disabled again and again. */
async function recipientsOf({ db, now }: Options, webhook: Disabled): Promise<string[]> {
  const { webhook_id, owner_id, organization_id, notice } = webhook;
  const owners = await ownersOf(db, webhook);
  const use = { id: `${webhook_id} ${notice.at.getTime()}`, at: Math.floor(now() / 1000) };
  const spent = await Promise.all(
    owners.map(async (user_id) => {
      const key = `disabled webhooks ${owner_id ?? organization_id} ${user_id}`;
      try {
        await spend(db, { key, limit: PER_RECIPIENT, seconds: 24 * HOUR }, use);
        return false;
      } catch (error) {
        if (error instanceof AppError && error.reason === 'rateLimited') return true;
        throw error;
      }
    }),
  );
  return owners.filter((_, index) => !spent[index]);
}

/** @returns false if the mail must be tried again. */
async function mailTo({ db, mailer, log }: Options, webhook: Disabled, user_id: string): Promise<boolean> {
  const { webhook_id, owner_id, url, notice } = webhook;
  try {
    const user = await bounded(db.users.findOne({ user_id, ...ACTIVE }, { projection: { email: 1 } }));
    const { host } = new URL(url);
    const mail = { webhook_id, host, shared: owner_id === null, reason: notice.reason };
    if (user) await mailer.sendWebhookDisabled(user.email, mail);
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
