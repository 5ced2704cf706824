import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import type { Document, Filter, ObjectId } from 'mongodb';
import type { ArchiveJob } from '../../archive/jobs/job.ts';

/** Events written in one command; other commands run in between. */
const PAGE = 500;

/** The actions whose changed fields are those of a person, also in the audit of an organization. */
const PERSONAL: readonly AuditAction[] = ['profile.update', 'scim.user'];

/** Expressions for an event without the changed fields, unless they are those of an organization. */
const withoutPersonalFields = {
  before: whereShared('$before'),
  after: whereShared('$after'),
};

function whereShared(field: string): Document {
  const isPersonal = {
    $or: [{ $eq: ['$organization_id', null] }, { $in: ['$action', [...PERSONAL]] }],
  };
  return { $cond: [isPersonal, null, field] };
}

/** By the account: without its addresses, its device and its session. */
const BY_THEM = [{ $set: { email: null, address: null, session: '$$REMOVE', ...withoutPersonalFields } }];
/** About the account: whoever acted keeps their own addresses. */
const ABOUT_THEM = [{ $set: { 'target.email': '$$REMOVE', ...withoutPersonalFields } }];
/** By nobody known, with the address of the account: a login that the gateway refused. */
const WITH_ADDRESS = [{ $set: { email: null, address: null } }];
const TO_ADDRESS = [{ $set: { 'target.email': '$$REMOVE' } }];

/**
 * Takes the addresses and names of a deleted account out of the audit; the `user_id` stays (CONTRACT.md §Audit).
 * @param before later events with the address are about whoever has it then.
 */
export async function eraseAudit(
  job: ArchiveJob,
  { user_id, email, before }: { user_id: string; email: string; before: Date },
): Promise<void> {
  await eraseWhere(job, { user_id }, BY_THEM);
  await eraseWhere(job, { 'target.user_id': user_id }, ABOUT_THEM);
  await eraseWhere(job, { email, at: { $lte: before } }, WITH_ADDRESS);
  await eraseWhere(job, { 'target.email': email, at: { $lte: before } }, TO_ADDRESS);
}

async function eraseWhere(
  { db, renew }: ArchiveJob,
  filter: Filter<AuditEvent>,
  update: Document[],
): Promise<void> {
  const erase = async (ids: ObjectId[]) => {
    await renew();
    await db.auditEvents.updateMany({ _id: { $in: ids } }, update);
  };
  let page: ObjectId[] = [];
  // The server closes a cursor whose batch takes longer than ten minutes.
  for await (const { _id } of db.auditEvents.find(filter, { projection: { _id: 1 }, batchSize: PAGE })) {
    page.push(_id);
    if (page.length < PAGE) continue;
    await erase(page);
    page = [];
  }
  if (page.length > 0) await erase(page);
}
