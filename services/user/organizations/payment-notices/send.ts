import { bounded } from '@gatehouse/shared/data/bounded';
import { activeAmong, findActiveUser } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import type { UpdateFilter } from 'mongodb';
import { hasSsoPlan } from '../../access/sso-plan.ts';
import type { Database } from '../../database.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { noticeAfter, noticeDay } from '../departments/payment-grace.ts';
import { nameInMail } from '../names.ts';
import type { Department } from '../records.ts';

/** Milliseconds until another process may continue a notice whose process was killed. */
const LEASE = 60_000;

export interface NoticeOptions {
  db: Database;
  now: () => number;
  mailer: Mailer;
  log: Pick<FastifyBaseLogger, 'warn'>;
  isStopping: () => boolean;
}

type InGrace = Department & Required<Pick<Department, 'payment_grace'>>;

/**
 * Tells the Owners of organizations that a payment has failed, and until when single sign-on goes on. The notice in the
 * department is the outbox: one process at a time holds it, and takes each Owner off once the mail server has accepted
 * the mail, so that a kill repeats at most the mail in flight.
 */
export async function sendPaymentNotices(options: NoticeOptions): Promise<void> {
  while (!options.isStopping()) {
    const department = await bounded(claim(options));
    if (!department) return;
    await tell(options, department);
  }
}

const leaseEnd = ({ now }: NoticeOptions) => new Date(now() + LEASE);

const claim = (options: NoticeOptions) =>
  options.db.departments.findOneAndUpdate(
    { 'payment_grace.notice.due': { $lte: new Date(options.now()) } },
    { $set: { 'payment_grace.notice.due': leaseEnd(options) } },
    { returnDocument: 'after' },
  ) as Promise<InGrace | null>;

async function tell(options: NoticeOptions, department: InGrace): Promise<void> {
  const { db, now, mailer, log, isStopping } = options;
  const { department_id, organization_id, payment_grace: grace } = department;
  let due = grace.notice?.due;
  /** Changes the notice while this process holds it: a payment or another process ends that. */
  const change = async (update: UpdateFilter<Department>, renewed = leaseEnd(options)): Promise<boolean> => {
    const held = { department_id, 'payment_grace.began_at': grace.began_at, 'payment_grace.notice.due': due };
    const $set = { ...update.$set, 'payment_grace.notice.due': renewed };
    const { matchedCount } = await bounded(db.departments.updateOne(held, { ...update, $set }));
    due = renewed;
    return matchedCount === 1;
  };
  const day = noticeDay(grace.began_at, now());
  const isBegun = grace.notice?.day === day && grace.notice.recipients !== undefined;
  const recipients = isBegun ? (grace.notice?.recipients ?? []) : await recipientsOf(options, department);
  if (!isBegun) {
    const notice = { 'payment_grace.notice.day': day, 'payment_grace.notice.recipients': recipients };
    if (!(await change({ $set: notice }))) return;
  }
  const organization = await bounded(db.organizations.findOne({ organization_id }));
  const mail = {
    organization: nameInMail(organization?.name ?? ''),
    department: nameInMail(department.name),
    endsAt: grace.ends_at,
  };
  let hasFailed = false;
  for (const user_id of recipients) {
    if (isStopping()) return;
    let told: UpdateFilter<Department> = { $pull: { 'payment_grace.notice.recipients': user_id } };
    try {
      const user = await bounded(findActiveUser(db.users, user_id));
      if (user) await mailer.sendPaymentFailed(user.email, mail);
    } catch (error) {
      log.warn({ err: error, department_id, user_id }, 'Owner not told of a failed payment yet');
      hasFailed = true;
      told = {};
    }
    if (!(await change(told))) return;
  }
  if (hasFailed) return; // tried again when the lease ends
  const next = noticeAfter(day, grace.began_at);
  const own = { department_id, 'payment_grace.began_at': grace.began_at, 'payment_grace.notice.due': due };
  await bounded(
    db.departments.updateOne(
      own,
      next ? { $set: { 'payment_grace.notice': next } } : { $unset: { 'payment_grace.notice': true } },
    ),
  );
}

/** The Owners who can act; nobody when the grace is over or single sign-on does not end with it. */
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
