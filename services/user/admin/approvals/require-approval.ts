import { randomUUIDv7 } from 'node:crypto';
import type { Config } from '@gatehouse/shared/config';
import type { Operator } from '@gatehouse/shared/identity/operators';
import type { Call } from '@gatehouse/shared/operation/operation';
import type { Filter } from 'mongodb';
import type { z } from 'zod';
import type { Database } from '../../database.ts';
import { commandLineOperator } from '../../operators/command-line.ts';
import { type approvalRecord, presentApproval } from './contract.ts';
import { ACTS, type Act, type Approval, KEPT_DAYS, VALID_HOURS } from './records.ts';

const HOUR = 3_600_000;
/** Milliseconds for which the requester gets the same use again: a full support session lasts as long. */
const REPEATED = HOUR;

interface Asking {
  act: Act;
  /** As in the path. */
  person_id: string;
  /** The account concerned; null if it has no user_id. */
  user_id: string | null;
  reason: string;
  /** The operator record of the caller. */
  operator: Pick<Operator, '_id' | 'level' | 'added_at' | 'level_since'>;
}

type Context = { config: Pick<Config<'user'>, 'ADMIN_APPROVALS'>; db: Database; now: () => number } & Pick<
  Call<object, string, unknown, unknown, 'admin.approval_request'>,
  'audit' | 'request'
>;

/** What the requester makes of an approved act: the id and time are the same if the call is repeated. */
interface Use {
  id: string;
  at: Date;
}

type Decision =
  /** The act must wait: answer 202 with this record. */
  | { pending: z.infer<typeof approvalRecord>; use?: never }
  /** Carry the act out; `use` is of an approved one. */
  | { pending?: never; use?: Use };

/**
 * Decides whether an act needs the approval of a second operator (ADMIN_APPROVALS). An act that the approval carries out
 * always waits. One that its requester carries out waits until it is approved: this call then consumes the approval, in
 * one write.
 */
export async function requireApproval(
  { config, db, now, audit, request }: Context,
  { act, person_id, user_id, reason, operator }: Asking,
): Promise<Decision> {
  // Whoever is at the command line writes to the database; without this, nobody could add the second admin.
  if (!config.ADMIN_APPROVALS || commandLineOperator(request)) return {};
  const asked = { act, person_id, requested_by: operator._id };
  const { level, added_at, level_since } = operator;
  // A change of the requester's level since they asked voids the approval, also if it has been undone.
  const unchanged: Filter<Approval> = {
    'requester.level': level,
    'requester.added_at': added_at,
    'requester.level_since': level_since ?? { $exists: false },
  };
  if (ACTS[act].carriedOutBy === 'the requester') {
    const use = await useApproved(db, { ...asked, ...unchanged }, now());
    if (use) return { use };
  }
  const at = new Date(now());
  const approval: Approval = {
    approval_id: randomUUIDv7(),
    ...asked,
    user_id,
    reason,
    requested_at: at,
    requester: { level, added_at, ...(level_since && { level_since }) },
    expires_at: new Date(at.getTime() + VALID_HOURS * HOUR),
    status: 'pending',
    forget_at: new Date(at.getTime() + KEPT_DAYS * 24 * HOUR),
  };
  // A repeated call asks once. Two at once may ask twice, which is harmless: each approval is decided by itself.
  const repeated = await db.approvals.findOne({
    ...asked,
    reason,
    status: 'pending',
    expires_at: { $gt: at },
    ...unchanged,
  });
  if (repeated) return { pending: presentApproval(repeated, now()) };
  await db.approvals.insertOne({ ...approval });
  await audit('admin.approval_request', {
    ...(user_id !== null && { target: { user_id } }),
    after: { act, reason, approval_id: approval.approval_id },
  });
  return { pending: presentApproval(approval, now()) };
}

/** Consumes an approval for its requester with one write; soon afterwards it names the same use again. */
async function useApproved(db: Database, asked: Filter<Approval>, now: number): Promise<Use | undefined> {
  const approved = { ...asked, status: 'approved' as const };
  const earlier = async (): Promise<Use | undefined> => {
    const used = await db.approvals.findOne(
      { ...approved, carried_out_at: { $gt: new Date(now - REPEATED) } },
      { sort: { requested_at: -1 } },
    );
    return used?.use_id && used.carried_out_at ? { id: used.use_id, at: used.carried_out_at } : undefined;
  };
  const use = { id: randomUUIDv7(), at: new Date(now) };
  const known = await earlier();
  if (known) return known;
  const { matchedCount } = await db.approvals.updateOne(
    { ...approved, carried_out_at: { $exists: false }, expires_at: { $gt: use.at } },
    { $set: { use_id: use.id, carried_out_at: use.at } },
  );
  // A concurrent call may have used it.
  return matchedCount === 1 ? use : earlier();
}
