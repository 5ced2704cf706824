import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Document, Filter, ObjectId } from 'mongodb';
import type { ArchiveJob } from '../../archive/jobs/job.ts';

/** Events written in one command; other commands run in between. */
const PAGE = 500;

/** The actions whose changed fields are those of a person, also in the audit of an organization. */
export const PERSONAL: readonly AuditAction[] = ['profile.update', 'scim.user'];

/** Expressions for an event without the changed fields, unless they are those of an organization. */
const withoutPersonalFields = {
  before: whereShared('$before', null),
  after: whereShared('$after', null),
  'salts.change': whereShared('$salts.change', '$$REMOVE'),
};

function whereShared(field: string, otherwise: null | string): Document {
  const isPersonal = {
    $or: [{ $eq: ['$organization_id', null] }, { $in: ['$action', [...PERSONAL]] }],
  };
  return { $cond: [isPersonal, otherwise, field] };
}

/** Each goes with the salt of its digest in the chain: what is erased can no longer be guessed from that. */
const WITHOUT_ADDRESSES = { email: null, address: null, 'salts.actor': '$$REMOVE' };
const WITHOUT_TARGET = { 'target.email': '$$REMOVE', 'salts.target': '$$REMOVE' };

/** By the account: without its addresses, its device and its session. */
const BY_THEM = [{ $set: { ...WITHOUT_ADDRESSES, session: '$$REMOVE', ...withoutPersonalFields } }];
/** About the account: whoever acted keeps their own addresses. */
const ABOUT_THEM = [{ $set: { ...WITHOUT_TARGET, ...withoutPersonalFields } }];
/** By nobody known, with an address of the account: a login that the gateway refused. */
const WITH_ADDRESS = [{ $set: WITHOUT_ADDRESSES }];
const TO_ADDRESS = [{ $set: WITHOUT_TARGET }];

/** An address that a person had. */
interface Held {
  /** In lower case. */
  email: string;
  /** Later events with the address are about whoever has it then. */
  until: Date;
}

/**
 * Takes the addresses and names of a deleted account out of the audit; the `user_id` stays (CONTRACT.md §Audit). The
 * account's own events go last: they tell which addresses it had.
 */
export async function eraseAudit(
  job: ArchiveJob,
  { user_id, ...address }: Held & { user_id: string },
): Promise<void> {
  for (const { email, until } of [...(await formerAddresses(job, user_id)), address]) {
    const at = { $lte: until };
    await eraseWhere(job, { email, user_id: null, at }, WITH_ADDRESS);
    await eraseWhere(job, { 'target.email': email, at }, TO_ADDRESS);
  }
  await eraseWhere(job, { 'target.user_id': user_id }, ABOUT_THEM);
  await eraseWhere(job, { user_id }, BY_THEM);
}

/** The actions that change an address. */
export const CHANGES: AuditAction[] = ['email.change', 'email.undo', 'profile.update'];

async function formerAddresses({ db }: ArchiveJob, user_id: string): Promise<Held[]> {
  const changed: Filter<AuditEvent> = {
    user_id,
    action: { $in: CHANGES },
    'before.email': { $type: 'string' },
  };
  const events = await db.auditEvents.find(changed, { projection: { at: 1, before: 1 } }).toArray();
  return events.map(({ at, before }) => ({ email: emailKey(String(before?.email)), until: at }));
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
