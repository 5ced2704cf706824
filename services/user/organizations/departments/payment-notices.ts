import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease, type Lease } from '@gatehouse/shared/durable/lease';
import { sendAll } from '@gatehouse/shared/durable/outbox';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import { activeAmong, findActiveUser } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import type { Document, WithId } from 'mongodb';
import { hasSsoPlan } from '../../access/sso-plan.ts';
import type { Database } from '../../database.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { nameInMail } from '../names.ts';
import type { Department } from '../records.ts';
import { noticeAfter, noticeDay } from './payment-grace.ts';

/** Milliseconds between two looks for notices that are due. */
export const INTERVAL = 60_000;
/** Milliseconds until another process may continue a notice whose process was killed. */
const LEASE = 60_000;

export interface NoticeOptions {
  db: Database;
  now: () => number;
  mailer: Pick<Mailer, 'sendPaymentFailed'>;
  log: Pick<FastifyBaseLogger, 'warn'>;
  isStopping: () => boolean;
}

export const createPaymentNotices = (options: Omit<NoticeOptions, 'isStopping'>): Poller =>
  createPoller({
    interval: INTERVAL,
    run: (isStopping) => sendPaymentNotices({ ...options, isStopping }),
    log: options.log,
    failure: 'cannot tell the Owners of failed payments yet',
  });

type InGrace = WithId<Department> & Required<Pick<Department, 'payment_grace'>>;

/**
 * Tells the Owners of organizations that a payment has failed, and until when single sign-on stays. The notice in the
 * department is the outbox. A payment ends the grace with its notice, and so the lease.
 */
export async function sendPaymentNotices(options: NoticeOptions): Promise<void> {
  const { db, now, isStopping } = options;
  const lease = createLease({
    collection: db.departments,
    due: 'payment_grace.notice.due',
    holder: 'payment_grace.notice.holder',
    duration: LEASE,
    now,
  });
  while (!isStopping()) {
    const department = await bounded(lease.claim());
    if (!department) return;
    await tell(options, lease, department as InGrace);
  }
}

async function tell(options: NoticeOptions, lease: Lease<Department>, department: InGrace): Promise<void> {
  const { db, now, mailer } = options;
  const { _id, organization_id, payment_grace: grace } = department;
  const renew = (update: Document) => lease.renew(_id, update);
  const day = noticeDay(grace.began_at, now());
  const begun = grace.notice?.day === day ? grace.notice.recipients : undefined;
  const recipients = begun ?? (await recipientsOf(options, department));
  if (!begun) {
    const notice = { 'payment_grace.notice.day': day, 'payment_grace.notice.recipients': recipients };
    if (!(await bounded(renew({ $set: notice })))) return;
  }
  const organization = await bounded(db.organizations.findOne({ organization_id }));
  const payment = {
    organization: nameInMail(organization?.name ?? ''),
    department: nameInMail(department.name),
    endsAt: grace.ends_at,
  };
  const mails = recipients.map((user_id) => ({
    user_id,
    async send() {
      const user = await bounded(findActiveUser(db.users, user_id));
      if (user) await mailer.sendPaymentFailed(user, payment);
    },
    sent: { $pull: { 'payment_grace.notice.recipients': user_id } },
  }));
  const failure = 'Owner not told of a failed payment yet';
  if ((await sendAll(mails, { ...options, renew, failure })) !== 'sent') return;
  const next = noticeAfter(day, grace.began_at);
  await bounded(
    db.departments.updateOne(
      lease.held(_id),
      next ? { $set: { 'payment_grace.notice': next } } : { $unset: { 'payment_grace.notice': true } },
    ),
  );
}

/** The Owners who can act; none when the grace is over or single sign-on does not end with it. */
async function recipientsOf({ db, now }: NoticeOptions, department: InGrace): Promise<string[]> {
  const { organization_id, billing, archived_at, payment_grace } = department;
  const organization = await bounded(db.organizations.findOne({ organization_id }));
  if (!organization || archived_at !== undefined || organization.archived_at !== undefined) return [];
  // A process of the previous version takes no grace away.
  if (billing.payment_status === 'paid' || billing.subscription_plan !== 'Enterprise') return [];
  const { ends_at } = payment_grace;
  if (ends_at.getTime() <= now()) return [];
  if (await bounded(hasSsoPlan(db, organization_id, ends_at.getTime()))) return [];
  const owners = organization.owners.map(({ user_id }) => user_id);
  return [...(await bounded(activeAmong(db.users, owners)))];
}
