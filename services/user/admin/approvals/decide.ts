import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import type { Database } from '../../database.ts';
import { ACTS, type Approval } from './records.ts';

interface Verdict {
  approval_id: string;
  /** The operator who decides. */
  caller: string;
  reason: string;
  status: 'approved' | 'rejected';
  /** Unix milliseconds. */
  now: number;
}

/**
 * Decides a pending approval with one write, so that one of two decisions counts. An approval makes its act due in the
 * same write.
 * @throws {AppError} notFound; forbidden for the requester, and for the person concerned; duplicate if it has expired,
 * is void or has been decided.
 */
export async function decide(
  db: Database,
  { approval_id, caller, reason, status, now }: Verdict,
): Promise<Approval> {
  const asked = orNotFound(await db.approvals.findOne({ approval_id }));
  // The requester may withdraw what they asked for.
  if (status === 'approved' && asked.requested_by === caller)
    throw new AppError('forbidden', { text: 'Another operator than the one who asked must approve' });
  if (asked.user_id === caller) throw new AppError('forbidden', { text: 'The act is about you' });
  const at = new Date(now);
  const pending = { approval_id, status: 'pending' as const, expires_at: { $gt: at } };
  const decided = { decided_by: caller, decided_at: at, decision: reason };
  if (status === 'approved' && !(await isSameOperator(db, asked))) {
    await db.approvals.updateOne(pending, { $set: { status: 'void', decided_at: at } });
    throw closed(asked, now, 'The approval is void: the operator who asked has another level now');
  }
  const isDue = status === 'approved' && ACTS[asked.act].carriedOutBy === 'the approval';
  const changed = await db.approvals.findOneAndUpdate(
    { ...pending, ...(status === 'approved' && { requested_by: { $ne: caller } }) },
    { $set: { ...decided, status, ...(isDue && { due_at: at }) } },
    { returnDocument: 'after' },
  );
  if (changed) return changed;
  throw closed(orNotFound(await db.approvals.findOne({ approval_id })), now);
}

/** Whether the requester is still the operator who asked, with the same level. */
async function isSameOperator(
  db: Database,
  { requested_by, requester }: Pick<Approval, 'requested_by' | 'requester'>,
): Promise<boolean> {
  const operator = await db.operators.findOne({ _id: requested_by });
  return (
    operator?.level === requester.level &&
    operator.added_at.getTime() === requester.added_at.getTime() &&
    operator.level_since?.getTime() === requester.level_since?.getTime()
  );
}

function closed({ status, expires_at }: Approval, now: number, text?: string): AppError {
  const isExpired = status === 'pending' && expires_at.getTime() <= now;
  const fallback = status === 'pending' ? text : `The approval is ${status}`;
  return new AppError('duplicate', {
    text: isExpired ? 'The approval has expired' : (fallback ?? 'The approval has been decided'),
  });
}
