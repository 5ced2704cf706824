import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease } from '@gatehouse/shared/durable/lease';
import { createPoller } from '@gatehouse/shared/durable/poller';
import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyBaseLogger } from 'fastify';
import type { ObjectId, WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Act, Approval } from './records.ts';

/** Milliseconds between two looks for acts that a killed process has left. */
export const INTERVAL = 5_000;
/** Milliseconds until another process carries out the act of one that was killed. */
const LEASE = 60_000;

/**
 * Carries out an act as the direct call does. It may be repeated.
 * @throws {AppError} if it can never be carried out.
 */
type CarryOut = (approval: Approval, log: FastifyBaseLogger) => Promise<void>;

interface Options {
  db: Database;
  now: () => number;
  log: FastifyBaseLogger;
  acts: Partial<Record<Act, CarryOut>>;
}

/**
 * Carries out approved acts. The write of the approval makes the act due, so a kill after it is completed by the job of
 * any process.
 */
export function createApprovedActs({ db, now, log, acts }: Options) {
  const lease = createLease({
    collection: db.approvals,
    due: 'due_at',
    holder: 'holder',
    duration: LEASE,
    now,
  });

  async function carryOut(approval: WithId<Approval>): Promise<void> {
    const { _id, act, approval_id } = approval;
    const end = (fields: Partial<Approval>) =>
      bounded(
        db.approvals.updateOne(lease.held(_id as ObjectId), {
          $set: fields,
          $unset: { due_at: true, holder: true },
        }),
      );
    try {
      const run = acts[act];
      if (!run) throw new Error(`nothing carries out ${act}`);
      await run(approval, log);
      await end({ carried_out_at: new Date(now()) });
    } catch (error) {
      const isFinal = error instanceof AppError && error.status < 500;
      if (isFinal) await end({ failure: error.message });
      log.warn({ err: error, approval_id }, 'approved act not carried out');
    }
  }

  async function run(isStopping = () => false, filter = {}): Promise<void> {
    while (!isStopping()) {
      const approval = await bounded(lease.claim(filter));
      if (!approval) return;
      await carryOut(approval);
    }
  }

  return {
    ...createPoller({
      interval: INTERVAL,
      run: (isStopping) => run(isStopping),
      log,
      failure: 'cannot carry out approved acts',
    }),
    /** Carries out one act now, unless another process does. A failure leaves it to the job. */
    carryOutNow: (approval_id: string): Promise<void> => run(undefined, { approval_id }),
  };
}
