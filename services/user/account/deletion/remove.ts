import { derivedId } from '@gatehouse/shared/derived-id';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import { mailboxOf } from '@gatehouse/shared/identity/mailbox';
import { BY_TIME } from '@gatehouse/webhooks/records';
import type { ObjectId } from 'mongodb';
import { depart, endedEvent } from '../../access/departures/depart.ts';
import type { Ended } from '../../access/departures/end-roles.ts';
import { leavePersonalChatbots } from '../../access/leave-personal-chatbots.ts';
import { forgetInvitations } from '../../access/memberships/forget-person.ts';
import { deleteExports } from '../../archive/jobs/delete-exports.ts';
import { type ArchiveJob, deleteInPages, record } from '../../archive/jobs/job.ts';
import { eraseAudit } from './erase-audit.ts';
import { eraseEvents } from './erase-events.ts';

/** An account whose record has been stripped; nothing undoes its deletion. */
export interface Removed {
  _id: ObjectId;
  user_id: string;
  email: string;
}

/**
 * Removes an account and what only it owned. What other people see of it happens first, and reaches webhooks before the
 * rest is erased; the record goes last. May be repeated from any point.
 * @returns false if webhooks have not heard everything yet: call it again later.
 * @throws {LeaseLost} as `job.renew` does.
 */
export async function removeAccount(job: ArchiveJob, account: Removed): Promise<boolean> {
  const { db } = job;
  const { _id, user_id } = account;
  await record(job, [{ action: 'account.delete', target: { user_id } }]);
  await leaveOrganizations(job, user_id);
  await leavePersonalChatbots(db, user_id, {
    beforeBatch: job.renew,
    beforeDeletion: (chatbots) =>
      record(
        job,
        chatbots.map(({ chatbot_id }) => ({ action: 'chatbot.delete', target: { chatbot_id, user_id } })),
      ),
  });
  await deleteWebhooks(job, user_id);
  if (await isRelaying(job, user_id)) return false;
  await erase(job, account);
  await job.renew();
  await db.deletedUsers.updateOne(
    { _id: user_id },
    { $setOnInsert: { deleted_at: new Date(job.now()) } },
    { upsert: true },
  );
  await db.users.deleteOne({ _id });
  return true;
}

/**
 * Ends every role, as leaving an organization does. Their chatbots there pass on, also those of a departure that a kill
 * has interrupted.
 */
async function leaveOrganizations(job: ArchiveJob, user_id: string): Promise<void> {
  const { db, now, log, id, began } = job;
  const [interrupted, memberships, owned] = await Promise.all([
    db.departures.distinct('organization_id', { user_id }),
    db.memberships.distinct('organization_id', { user_id }),
    db.organizations.distinct('organization_id', { 'owners.user_id': user_id }),
  ]);
  for (const organization_id of new Set([...interrupted, ...memberships, ...owned])) {
    await job.renew();
    // Without the address: another process may complete the departure when the audit is erased already.
    const departure = {
      organization_id,
      user_id,
      by: { user_id, email: null },
      forced: true as const,
      began_at: new Date(now()),
    };
    await depart(db, departure, (ended: Ended) => {
      const name = `${id} left ${organization_id} ${ended.invitation_id ?? ended.department_id}`;
      const event_id = derivedId(began, name);
      return auditJob(db, { id, log }, now(), [{ event_id, user_id, ...endedEvent(departure, ended) }]);
    });
  }
  await db.departures.deleteMany({ user_id });
}

/** Deletes the webhooks of the account, each after its deliveries. */
async function deleteWebhooks(job: ArchiveJob, user_id: string): Promise<void> {
  const { db } = job;
  for (;;) {
    const webhook = await db.webhooks.findOne({ owner_id: user_id });
    if (!webhook) return;
    const { webhook_id } = webhook;
    await deleteInPages(job, db.webhookDeliveries, { webhook_id }, BY_TIME);
    await record(job, [{ action: 'webhook.delete', target: { webhook_id, user_id } }]);
    await db.webhooks.deleteOne({ webhook_id });
  }
}

/** Whether webhooks have yet to hear of something that this account did or that happened to it. */
const isRelaying = async ({ db }: ArchiveJob, user_id: string): Promise<boolean> =>
  (await db.auditEvents.findOne(
    { relay: true, $or: [{ user_id }, { 'target.user_id': user_id }] },
    { projection: { _id: 1 } },
  )) !== null;

/** Erases what names the person. Nothing here is seen by anybody else. */
async function erase(job: ArchiveJob, { _id, user_id, email }: Removed): Promise<void> {
  const { db, began } = job;
  const address = emailKey(email);
  const before = new Date(began);
  await job.renew();
  await forgetInvitations(db, { user_id, email: address, before });
  const connections = await db.ssoIdentities.distinct('connection_id', { user_id });
  await db.ssoSessions.deleteMany({ connection_id: { $in: connections }, user_id });
  await db.ssoIdentities.deleteMany({ user_id });
  await db.loginNames.deleteMany({ user_id });
  await db.passkeys.deleteMany({ account: _id });
  await db.machineKeys.deleteMany({ owner: _id });
  await deleteExports(job, { created_by: user_id });
  await db.operators.deleteOne({ _id: user_id });
  await db.supportSessions.deleteMany({ person_id: user_id });
  await db.features.deleteMany({ user_id });
  await db.pictures.deleteMany({ user_id });
  const [account, mailbox] = [_id.toHexString(), mailboxOf(email)];
  const budgets = [
    `confirm ${account}`,
    `passwords of ${account}`,
    `enroll ${account}`,
    `factors of ${account}`,
    `passkeys of ${account}`,
    `keys of ${account}`,
    `links of ${account}`,
    `deletions of ${account}`,
    `addresses of ${account}`,
    `addresses of ${account} in a day`,
    `data of ${account}`,
    `inviter ${user_id}`,
    `codes to ${mailbox}`,
    `addresses at ${mailbox}`,
    `login codes at ${mailbox}`,
  ];
  await db.budgets.deleteMany({ key: { $in: budgets } });
  await eraseEvents(job, user_id);
  await eraseAudit(job, { user_id, email: address, until: before });
  const organizations = await db.formerMembers.distinct('organization_id', { user_id });
  await db.organizationPeople.deleteMany({ organization_id: { $in: organizations }, user_id });
  await db.formerMembers.deleteMany({ user_id });
}
